/*
 * What encryption's and decryption's key expansion share: the expanded key's latest words and the step through the
 * S-box.
 */
#define RK a0

#define W0 t0
#define W1 t1
#define W2 t2
#define W3 t3
#define W4 t4
#define W5 t5
#define W6 t6
#define W7 a2

/* Offset of word i of the expanded key, in the order of encryption and of decryption (schedule.h). */
#define ENCRYPTION_WORD(rounds, i) (16*(14 - (rounds)) + 4*(i))
#define DECRYPTION_WORD(i) (16*(14 - (i)/4) + 4*((i)%4))

.macro expand_function name
    .globl  \name
    .type   \name, @function
    .balign 4
\name:
    andi    t0, a1, 3
    bnez    t0, 9f
.endm

.macro expand_end name
    ret
9:  tail    \name\()_bytewise
    .size   \name, . - \name
.endm

.macro load_four w0, w1, w2, w3, offset
    lw      \w0, \offset(a1)
    lw      \w1, \offset + 4(a1)
    lw      \w2, \offset + 8(a1)
    lw      \w3, \offset + 12(a1)
.endm

.macro put_four w0, w1, w2, w3, offset
    sw      \w0, \offset(RK)
    sw      \w1, \offset + 4(RK)
    sw      \w2, \offset + 8(RK)
    sw      \w3, \offset + 12(RK)
.endm

.macro put_two w0, w1, offset
    sw      \w0, \offset(RK)
    sw      \w1, \offset + 4(RK)
.endm

/* to = base ^ SubWord(word) */
.macro substitute to, base, word
    aes32esi \to, \base, \word, 0
    aes32esi \to, \to, \word, 1
    aes32esi \to, \to, \word, 2
    aes32esi \to, \to, \word, 3
.endm

/* to = RotWord(word), words being little-endian */
.macro rotate to, word, scratch
    srli    \to, \word, 8
    slli    \scratch, \word, 24
    or      \to, \to, \scratch
.endm

/* Round constants (FIPS 197, table 5): one \step for each, with its number. */
.macro steps_1_to_6 step
    \step   1, 0x01
    \step   2, 0x02
    \step   3, 0x04
    \step   4, 0x08
    \step   5, 0x10
    \step   6, 0x20
.endm
.macro steps_1_to_7 step
    steps_1_to_6 \step
    \step   7, 0x40
.endm
.macro steps_1_to_9 step
    steps_1_to_7 \step
    \step   8, 0x80
    \step   9, 0x1b
.endm
#define RCON_7 0x40
#define RCON_8 0x80
#define RCON_10 0x36
