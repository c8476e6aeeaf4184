/*
 * The ChaCha20 block function of Marshall, Page, Pham (A lightweight ISE for ChaCha on RISC-V, ASAP 2021) on registers
 * that hold a || d and b || c of a column: an assembly template for their variants V1 to V3 (of the draft).
 *
 * Include after the macro `quarter_round ad, bc, from_ad, from_bc`, whose results and sources are different registers.
 *
 * The schedule is theirs, the eight packs at the end of the last round, whose results nobody reads, included: the
 * figures they published are those of this code. ise-v1-tuned to ise-v3-tuned have none of that.
 * In the loop an iteration is two rounds of four quarter rounds and eight packs, and two instructions to count.
 *
 * Contract: chacha20.h. Clobbers a2 to a7 and t0 to t6. Constant time: no table is indexed and no branch taken by data.
 */
#ifndef CIPHERMARK_CHACHA20_PAPER_ASM_H
#define CIPHERMARK_CHACHA20_PAPER_ASM_H

/*
 * Results of quarter rounds, a || d and b || c in turn; before the first round the state as loaded. Registers with
 * compressed loads and arithmetic go where these occur.
 */
#define R0 s0
#define R1 s1
#define R2 a2
#define R3 a3
#define R4 a4
#define R5 a6
#define R6 a7
#define R7 t0

/* What quarter rounds take, likewise. */
#define Q0 a5
#define Q1 t1
#define Q2 t2
#define Q3 t3
#define Q4 t4
#define Q5 t5
#define Q6 s2
#define Q7 s3

#define COUNT t6

.macro round
    quarter_round R0, R1, Q0, Q1
    quarter_round R2, R3, Q2, Q3
    quarter_round R4, R5, Q4, Q5
    quarter_round R6, R7, Q6, Q7
.endm

.macro finish_low_word register, i
    lw      Q0, (4 * \i)(a1)
    addw    Q0, Q0, \register
    sw      Q0, (4 * \i)(a0)
.endm

.macro finish_high_word register, i
    srli    \register, \register, 32
    finish_low_word \register, \i
.endm

    .text
    .globl  chacha20_block
    .type   chacha20_block, @function
    .balign 4
chacha20_block:
    addi    sp, sp, -32
    sd      s0, 0(sp)
    sd      s1, 8(sp)
    sd      s2, 16(sp)
    sd      s3, 24(sp)
    ld      R0, 0(a1)
    ld      R1, 8(a1)
    ld      R2, 16(a1)
    ld      R3, 24(a1)
    ld      R4, 32(a1)
    ld      R5, 40(a1)
    ld      R6, 48(a1)
    ld      R7, 56(a1)
    chacha.pack  Q0, R6, R0
    chacha.pack  Q1, R4, R2
    chacha.packh Q2, R6, R0
    chacha.packh Q3, R4, R2
    chacha.pack  Q4, R7, R1
    chacha.pack  Q5, R5, R3
    chacha.packh Q6, R7, R1
    chacha.packh Q7, R5, R3
    li      COUNT, 10
1:  round
    chacha.packhl Q0, R6, R0
    chacha.packhl Q1, R5, R3
    chacha.packhl Q2, R0, R2
    chacha.packhl Q3, R7, R5
    chacha.packhl Q4, R2, R4
    chacha.packhl Q5, R1, R7
    chacha.packhl Q6, R4, R6
    chacha.packhl Q7, R3, R1
    round
    chacha.packhl Q0, R2, R0
    chacha.packhl Q1, R5, R7
    chacha.packhl Q2, R4, R2
    chacha.packhl Q3, R7, R1
    chacha.packhl Q4, R6, R4
    chacha.packhl Q5, R1, R3
    chacha.packhl Q6, R0, R6
    chacha.packhl Q7, R3, R5
    addi    COUNT, COUNT, -1
    bnez    COUNT, 1b

    finish_low_word R5, 8
    finish_low_word R7, 9
    finish_low_word R1, 10
    finish_low_word R3, 11
    finish_low_word R2, 12
    finish_low_word R4, 13
    finish_low_word R6, 14
    finish_low_word R0, 15
    finish_high_word R0, 0
    finish_high_word R2, 1
    finish_high_word R4, 2
    finish_high_word R6, 3
    finish_high_word R7, 4
    finish_high_word R1, 5
    finish_high_word R3, 6
    finish_high_word R5, 7

    ld      s0, 0(sp)
    ld      s1, 8(sp)
    ld      s2, 16(sp)
    ld      s3, 24(sp)
    addi    sp, sp, 32
    ret
    .size   chacha20_block, . - chacha20_block

    .section .note.GNU-stack, "", @progbits

#endif
