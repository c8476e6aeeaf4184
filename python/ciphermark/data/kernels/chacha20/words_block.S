/*
 * The ChaCha20 block function on words (see words.h), for each folder whose steps.h says what the steps are. Clobbers
 * a0 to a7 and t0 to t6.
 */
#include "steps.h"

#include "words.h"

.macro load_block_word x, i
    lw      \x, (4 * \i)(a1)
.endm

.macro finish_block_word x, i
    lw      T, (4 * \i)(a1)
    add     \x, \x, T
    sw      \x, (4 * \i)(a0)
.endm

#ifndef INTERLEAVED
.macro finish_block
    each_word finish_block_word
.endm
#endif

.macro each_saved_by_block instruction
    \instruction s0, (0 * X_BYTES)(sp)
    \instruction s1, (1 * X_BYTES)(sp)
    \instruction s2, (2 * X_BYTES)(sp)
    \instruction s3, (3 * X_BYTES)(sp)
    \instruction s4, (4 * X_BYTES)(sp)
    \instruction s5, (5 * X_BYTES)(sp)
    \instruction s6, (6 * X_BYTES)(sp)
.endm

    .text
    .globl  chacha20_block
    .type   chacha20_block, @function
    .balign 4
chacha20_block:
    addi    sp, sp, -8 * X_BYTES
    each_saved_by_block STORE_X
    each_word load_block_word
    li      a2, 5
1:  column_round
    diagonal_round
    column_round
    diagonal_round
    addi    a2, a2, -1
    bnez    a2, 1b
    finish_block
    each_saved_by_block LOAD_X
    addi    sp, sp, 8 * X_BYTES
    ret
    .size   chacha20_block, . - chacha20_block

    .section .note.GNU-stack, "", @progbits
