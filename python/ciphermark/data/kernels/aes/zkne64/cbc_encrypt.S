/*
 * CBC encryption. Every block waits for the one before it, so what can be saved is the round keys: for longer
 * messages the last eleven stay in 22 registers (all of AES-128's), the earlier ones of AES-192 and AES-256 in the
 * frame. Short messages, for which filling the registers does not pay, go through block.S.
 *
 * Contract: aes.h. Clobbers what the ABI allows; constant time in everything but lengths and addresses.
 */
#define OUT a0
#define IN a1
#define END a2
#define IV a3
#define RK a4

#define S0 t0
#define S1 t1
#define T t2

/* Units of the last eleven round keys. IV, RK and ra are spilled or dead by the time theirs is filled. */
#define R0 a3
#define R1 a5
#define R2 a6
#define R3 a7
#define R4 t3
#define R5 t4
#define R6 t5
#define R7 t6
#define R8 ra
#define R9 s0
#define R10 s1
#define R11 s2
#define R12 s3
#define R13 s4
#define R14 s5
#define R15 s6
#define R16 s7
#define R17 s8
#define R18 s9
#define R19 s10
#define R20 s11
#define R21 a4

#define FRAME 176
#define SPILLED_UNIT 0 /* up to eight units */
#define SPILLED_IV 64
#define SPILLED_RA 72
#define SPILLED_S 80

/* Below this many bytes the 24 saves and restores cost more than the loads they avoid. */
#define RESIDENT_FROM 96

.macro stored register, unit
    ld      \register, 8*(\unit)(RK)
.endm

.macro spilled register, unit
    sd      \register, SPILLED_UNIT + 8*(\unit)(sp)
.endm

/* Unit = aes64ks2(the unit before it, the unit one key length before it): round_keys.h. */
.macro derived register, before, key_length_before
    aes64ks2 \register, \before, \key_length_before
.endm

.macro fill_128
    stored  R0, 0
    stored  R1, 1
    stored  R2, 2
    stored  R4, 4
    stored  R6, 6
    stored  R8, 8
    stored  R10, 10
    stored  R12, 12
    stored  R14, 14
    stored  R16, 16
    stored  R18, 18
    stored  R20, 20
    derived R3, R2, R1
    derived R5, R4, R3
    derived R7, R6, R5
    derived R9, R8, R7
    derived R11, R10, R9
    derived R13, R12, R11
    derived R15, R14, R13
    derived R17, R16, R15
    derived R19, R18, R17
    derived R21, R20, R19
.endm

.macro fill_192
    stored  S0, 0
    stored  S1, 1
    stored  T, 2
    stored  R20, 3
    spilled S0, 0
    spilled S1, 1
    spilled T, 2
    spilled R20, 3
    derived R0, R20, S1
    derived R1, R0, T
    stored  R2, 6
    derived R3, R2, R0
    derived R4, R3, R1
    stored  R5, 9
    derived R6, R5, R3
    derived R7, R6, R4
    stored  R8, 12
    derived R9, R8, R6
    derived R10, R9, R7
    stored  R11, 15
    derived R12, R11, R9
    derived R13, R12, R10
    stored  R14, 18
    derived R15, R14, R12
    derived R16, R15, R13
    stored  R17, 21
    derived R18, R17, R15
    derived R19, R18, R16
    stored  R20, 24
    derived R21, R20, R18
.endm

.macro fill_256
    stored  S0, 0
    stored  S1, 1
    stored  T, 2
    stored  R20, 3
    spilled S0, 0
    spilled S1, 1
    spilled T, 2
    spilled R20, 3
    stored  T, 4
    derived S1, T, S1
    spilled T, 4
    spilled S1, 5
    stored  T, 6
    derived R20, T, R20
    spilled T, 6
    spilled R20, 7
    stored  R0, 8
    derived R1, R0, S1
    stored  R2, 10
    derived R3, R2, R20
    stored  R4, 12
    derived R5, R4, R1
    stored  R6, 14
    derived R7, R6, R3
    stored  R8, 16
    derived R9, R8, R5
    stored  R10, 18
    derived R11, R10, R7
    stored  R12, 20
    derived R13, R12, R9
    stored  R14, 22
    derived R15, R14, R11
    stored  R16, 24
    derived R17, R16, R13
    stored  R18, 26
    derived R19, R18, R15
    stored  R20, 28
    derived R21, R20, R17
.endm

.macro round instruction, lo, hi
    \instruction T, S0, S1
    \instruction S1, S1, S0
    xor     S0, T, \lo
    xor     S1, S1, \hi
.endm

/* The key of round `number` is in the frame; S0 is free once both halves are made. */
.macro spilled_round number
    aes64esm T, S0, S1
    aes64esm S1, S1, S0
    ld      S0, SPILLED_UNIT + 16*\number(sp)
    xor     S0, T, S0
    ld      T, SPILLED_UNIT + 16*\number + 8(sp)
    xor     S1, S1, T
.endm

.macro spilled_start
    ld      T, SPILLED_UNIT(sp)
    xor     S0, S0, T
    ld      T, SPILLED_UNIT + 8(sp)
    xor     S1, S1, T
.endm

.macro early_rounds_128
    xor     S0, S0, R0
    xor     S1, S1, R1
.endm

.macro early_rounds_192
    spilled_start
    spilled_round 1
    round   aes64esm, R0, R1
.endm

.macro early_rounds_256
    spilled_start
    spilled_round 1
    spilled_round 2
    spilled_round 3
    round   aes64esm, R0, R1
.endm

.macro cbc_encrypt_function name, key_bits
    .globl  \name
    .type   \name, @function
    .balign 4
\name:
    or      t0, OUT, IN
    or      t0, t0, IV
    andi    t0, t0, 7
    bnez    t0, 9f
    li      t1, RESIDENT_FROM
    bgeu    a2, t1, 2f
    lla     a6, aes_\key_bits\()_block
    j       cbc_encrypt_short
2:  addi    sp, sp, -FRAME
    sd      ra, SPILLED_RA(sp)
    sd      IV, SPILLED_IV(sp)
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    sd      s\n, SPILLED_S + 8*\n(sp)
    .endr
    add     END, a1, a2
    fill_\key_bits
    ld      T, SPILLED_IV(sp)
    ld      S0, 0(T)
    ld      S1, 8(T)
1:  ld      T, 0(IN)
    xor     S0, S0, T
    ld      T, 8(IN)
    xor     S1, S1, T
    early_rounds_\key_bits
    round   aes64esm, R2, R3
    round   aes64esm, R4, R5
    round   aes64esm, R6, R7
    round   aes64esm, R8, R9
    round   aes64esm, R10, R11
    round   aes64esm, R12, R13
    round   aes64esm, R14, R15
    round   aes64esm, R16, R17
    round   aes64esm, R18, R19
    round   aes64es, R20, R21
    sd      S0, 0(OUT)
    sd      S1, 8(OUT)
    addi    IN, IN, 16
    addi    OUT, OUT, 16
    bne     IN, END, 1b
    ld      T, SPILLED_IV(sp)
    sd      S0, 0(T)
    sd      S1, 8(T)
    ld      ra, SPILLED_RA(sp)
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    ld      s\n, SPILLED_S + 8*\n(sp)
    .endr
    addi    sp, sp, FRAME
    ret
9:  tail    \name\()_bytewise
    .size   \name, . - \name
.endm

    .text
    .irp key_bits, 128, 192, 256
    cbc_encrypt_function aes_\key_bits\()_cbc_encrypt, \key_bits
    .endr

/* a6 = aes_N_block, which clobbers t0..t6 only and leaves its output in t0, t1. */
    .type   cbc_encrypt_short, @function
    .balign 4
cbc_encrypt_short:
    beqz    a2, 2f
    mv      a7, ra
    add     a5, IN, a2
    mv      a2, RK
    mv      a4, IN
    ld      t0, 0(IV)
    ld      t1, 8(IV)
1:  ld      t2, 0(a4)
    ld      t3, 8(a4)
    xor     t0, t0, t2
    xor     t1, t1, t3
    sd      t0, 0(OUT)
    sd      t1, 8(OUT)
    mv      a1, OUT
    jalr    ra, 0(a6)
    addi    a4, a4, 16
    addi    OUT, OUT, 16
    bne     a4, a5, 1b
    sd      t0, 0(IV)
    sd      t1, 8(IV)
    mv      ra, a7
2:  ret
    .size   cbc_encrypt_short, . - cbc_encrypt_short

    .section .note.GNU-stack, "", @progbits
