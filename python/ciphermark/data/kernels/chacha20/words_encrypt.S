/* ChaCha20 encryption on words (see words.h), for each folder whose steps.h says what the steps are. */
#include "steps.h"

#include "words.h"

/* Word \i of the initial state, from the key or the iv. */
.macro load_initial x, i
    .if \i < 12
    lw      \x, (4 * (\i - 4))(a3)
    .else
    lw      \x, (4 * (\i - 12))(a4)
    .endif
.endm

.macro finish_word x, initial, offset
    add     \x, \x, \initial
    lw      T, \offset(IN)
    xor     \x, \x, T
    sw      \x, \offset(OUT)
.endm

.macro finish_framed_word x, i
    lw      T, INITIAL(\i)(sp)
    finish_word \x, T, 4 * \i
.endm

#ifndef INTERLEAVED
.macro finish_words
    finish_word X0, I0, 0
    finish_word X1, I1, 4
    finish_word X2, I2, 8
    finish_word X3, I3, 12
    finish_word X4, I4, 16
    finish_word X5, I5, 20
    finish_word X8, I8, 32
    finish_word X12, I12, 48
    each_framed_word finish_framed_word
.endm
#endif

    .text
    .globl  chacha20_encrypt
    .type   chacha20_encrypt, @function
    .balign 4
chacha20_encrypt:
    or      t0, a0, a1
    or      t1, a3, a4
    or      t0, t0, t1
    andi    t0, t0, 3
    bnez    t0, 1f
    andi    t0, a2, -64
    bnez    t0, 2f
1:  li      a5, 0
    j       chacha20_encrypt_bytewise

2:  addi    sp, sp, -STACK_BYTES
    each_saved STORE_X
    STORE_X a2, ARGUMENT(0)(sp)
    STORE_X a3, ARGUMENT(1)(sp)
    STORE_X a4, ARGUMENT(2)(sp)
    add     END, IN, t0

    li      I0, 0x61707865          /* "expand 32-byte k" */
    li      I1, 0x3320646e
    li      I2, 0x79622d32
    li      I3, 0x6b206574
    lw      I5, 4(a3)
    each_framed_word load_initial
    each_framed_word store_initial
    lw      I4, 0(a3)
    lw      I8, 16(a3)
    lw      I12, 0(a4)
    start_without_column_0
    addi    T, IN, 64
    bgeu    T, END, 4f
    each_started_word store_started
    j       4f

3:  each_started_word load_started
4:  start_with_column_0
    remaining_rounds
    finish_words
    addi    I12, I12, 1
    addi    IN, IN, 64
    addi    OUT, OUT, 64
    bltu    IN, END, 3b

    LOAD_X  t0, ARGUMENT(0)(sp)
    LOAD_X  a3, ARGUMENT(1)(sp)
    LOAD_X  a4, ARGUMENT(2)(sp)
    each_saved LOAD_X
    addi    sp, sp, STACK_BYTES
    andi    a2, t0, 63
    srli    a5, t0, 6
    bnez    a2, 5f
    ret
5:  j       chacha20_encrypt_bytewise
    .size   chacha20_encrypt, . - chacha20_encrypt

    .section .note.GNU-stack, "", @progbits
