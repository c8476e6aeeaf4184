/*
 * ChaCha20 encryption with XChaChaV4, two blocks at a time: a register holds the same word of both, the first in its
 * lower half, so that no round needs a pack.
 *
 * Source: RFC 8439. Contract: chacha20_encrypt's, for at least two whole blocks and addresses that are multiples of 8.
 * Clobbers what the standard calling convention allows.
 * Constant time: no table is indexed and no branch taken by data.
 */
#include "steps.h"

#include "words.h"

/* What a pair advances its block numbers by, in the slot of an initial word that a register holds. */
#define TWO_TWO INITIAL(0)

/* Two words at \offset(\from), each in both halves. */
.macro load_twice even, odd, from, offset
    ld      \even, \offset(\from)
    chacha.packh \odd, \even, \even
    chacha.pack \even, \even, \even
.endm

/* Two words of both blocks; \x and \y are sums. */
.macro xor_blocks x, y, offset
    chacha.pack T, \x, \y
    chacha.packh \x, \x, \y
    ld      \y, \offset(IN)
    xor     T, T, \y
    ld      \y, (64 + \offset)(IN)
    xor     \x, \x, \y
    sd      T, \offset(OUT)
    sd      \x, (64 + \offset)(OUT)
.endm

.macro add_initial x, i
    ld      T, INITIAL(\i)(sp)
    add_words \x, \x, T
.endm

    .text
    .globl  chacha20_encrypt_pairs
    .type   chacha20_encrypt_pairs, @function
    .balign 4
chacha20_encrypt_pairs:
    addi    sp, sp, -STACK_BYTES
    each_saved sd
    sd      a2, ARGUMENT(0)(sp)
    sd      a3, ARGUMENT(1)(sp)
    sd      a4, ARGUMENT(2)(sp)
    andi    t0, a2, -128
    add     END, IN, t0

    lla     T, constants
    load_twice I0, I1, T, 0
    load_twice I2, I3, T, 8
    load_twice I4, I5, a3, 0
    load_twice X6, X7, a3, 8
    load_twice X10, X11, a3, 24
    load_twice X14, X15, a4, 8
    load_twice X12, X13, a4, 0
    load_twice I8, X9, a3, 16       /* I8 is a3, I12 is a4 */
    li      T, 1
    slli    T, T, 32
    add     I12, X12, T
    addi    T, T, 1
    add     T, T, T
    sd      T, TWO_TWO(sp)
    each_framed_word store_initial
    start_without_column_0
    addi    T, IN, 128
    bgeu    T, END, 2f
    each_started_word store_started
    j       2f

1:  each_started_word load_started
2:  start_with_column_0
    remaining_rounds
    add_words X0, X0, I0
    add_words X1, X1, I1
    xor_blocks X0, X1, 0
    add_words X2, X2, I2
    add_words X3, X3, I3
    xor_blocks X2, X3, 8
    add_words X4, X4, I4
    add_words X5, X5, I5
    xor_blocks X4, X5, 16
    add_initial X6, 6
    add_initial X7, 7
    xor_blocks X6, X7, 24
    add_words X8, X8, I8
    add_initial X9, 9
    xor_blocks X8, X9, 32
    add_initial X10, 10
    add_initial X11, 11
    xor_blocks X10, X11, 40
    add_words X12, X12, I12
    add_initial X13, 13
    xor_blocks X12, X13, 48
    add_initial X14, 14
    add_initial X15, 15
    xor_blocks X14, X15, 56
    ld      T, TWO_TWO(sp)
    add_words I12, I12, T
    addi    IN, IN, 128
    addi    OUT, OUT, 128
    bltu    IN, END, 1b

    ld      a2, ARGUMENT(0)(sp)
    ld      a3, ARGUMENT(1)(sp)
    ld      a4, ARGUMENT(2)(sp)
    each_saved ld
    addi    sp, sp, STACK_BYTES
    andi    t0, a2, 64
    bnez    t0, 3f
    srli    a5, a2, 6
    andi    a2, a2, 63
    bnez    a2, 4f
    ret
3:  j       chacha20_encrypt_last_block
4:  j       chacha20_encrypt_bytewise
    .size   chacha20_encrypt_pairs, . - chacha20_encrypt_pairs

    .section .rodata
    .balign 8
constants:
    .ascii  "expand 32-byte k"

    .section .note.GNU-stack, "", @progbits
