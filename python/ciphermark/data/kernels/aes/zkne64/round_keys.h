/*
 * Walking the round keys, two 64-bit units a round, for assembly. The including file names the registers:
 *   RK       the schedule
 *   K0..K3   units of the round keys (K2 for AES-192 and AES-256, K3 for AES-256)
 * and gives three macros of two arguments (low and high unit of the round key): `start` adds the first round key,
 * `middle` is a full round, `last` the round without MixColumns.
 *
 * Encryption: unit j of the expanded key stands at 8*j, but only the units that begin an aes64ks1i step are stored
 * (and the key itself). aes64ks2 makes each of the others from its two predecessors, at the price of the load it
 * replaces: key expansion stores half as much.
 * Decryption: every unit is stored at 8*j, through InvMixColumns for all rounds but the first and last; walked from
 * the end.
 */
.macro stored k, unit
    ld      \k, 8*(\unit)(RK)
.endm

.macro derived k, predecessor
    aes64ks2 \k, \predecessor, \k
.endm

.macro encrypt_128 start, middle, last
    stored  K0, 0
    stored  K1, 1
    \start  K0, K1
    .irp unit, 2, 4, 6, 8, 10, 12, 14, 16, 18
    stored  K0, \unit
    derived K1, K0
    \middle K0, K1
    .endr
    stored  K0, 20
    derived K1, K0
    \last   K0, K1
.endm

/* Three units a step, two a round: the registers' roles repeat every three rounds. */
.macro encrypt_192 start, middle, last
    stored  K0, 0
    stored  K1, 1
    \start  K0, K1
    stored  K2, 2
    stored  K0, 3
    \middle K2, K0
    derived K1, K0
    derived K2, K1
    \middle K1, K2
    .irp unit, 6, 12, 18
    stored  K0, \unit
    derived K1, K0
    \middle K0, K1
    derived K2, K1
    stored  K0, \unit + 3
    \middle K2, K0
    derived K1, K0
    derived K2, K1
    \middle K1, K2
    .endr
    stored  K0, 24
    derived K1, K0
    \last   K0, K1
.endm

.macro encrypt_256 start, middle, last
    stored  K0, 0
    stored  K1, 1
    \start  K0, K1
    stored  K2, 2
    stored  K3, 3
    \middle K2, K3
    .irp unit, 4, 8, 12, 16, 20, 24
    stored  K0, \unit
    derived K1, K0
    \middle K0, K1
    stored  K2, \unit + 2
    derived K3, K2
    \middle K2, K3
    .endr
    stored  K0, 28
    derived K1, K0
    \last   K0, K1
.endm

.macro decrypt_128 start, middle, last
    stored  K0, 20
    stored  K1, 21
    \start  K0, K1
    decrypt_from_round_9 \middle, \last
.endm

.macro decrypt_192 start, middle, last
    stored  K0, 24
    stored  K1, 25
    \start  K0, K1
    .irp unit, 22, 20
    stored  K0, \unit
    stored  K1, \unit + 1
    \middle K0, K1
    .endr
    decrypt_from_round_9 \middle, \last
.endm

.macro decrypt_256 start, middle, last
    stored  K0, 28
    stored  K1, 29
    \start  K0, K1
    .irp unit, 26, 24, 22, 20
    stored  K0, \unit
    stored  K1, \unit + 1
    \middle K0, K1
    .endr
    decrypt_from_round_9 \middle, \last
.endm

.macro decrypt_from_round_9 middle, last
    .irp unit, 18, 16, 14, 12, 10, 8, 6, 4, 2
    stored  K0, \unit
    stored  K1, \unit + 1
    \middle K0, K1
    .endr
    stored  K0, 0
    stored  K1, 1
    \last   K0, K1
.endm
