/*
 * The ChaCha20 block function as its authors published it for XChaChaV4 (Marshall, Page, Pham, ASAP 2021; V4 of the
 * draft). Contract: chacha20.h. Clobbers a2 to a7 and t0 to t6.
 * Constant time: no table is indexed and no branch taken by data.
 */
#include "two_columns.h"

#define A0 a3
#define A1 a4
#define B0 a5
#define B1 a6
#define C0 a7
#define C1 t0
#define D0 t1
#define D1 t2
#define T a2
#define COUNT t3

.macro finish x, offset
    ld      T, \offset(a1)
    chacha.add.v4 T, T, \x
    sd      T, \offset(a0)
.endm

    .text
    .globl  chacha20_block
    .type   chacha20_block, @function
    .balign 4
chacha20_block:
    ld      A0, 0(a1)
    ld      A1, 8(a1)
    ld      B0, 16(a1)
    ld      B1, 24(a1)
    ld      C0, 32(a1)
    ld      C1, 40(a1)
    ld      D0, 48(a1)
    ld      D1, 56(a1)
    li      COUNT, 10
1:  double_round A0, A1, B0, B1, C0, C1, D0, D1, T, t4, t5, t6
    addi    COUNT, COUNT, -1
    bnez    COUNT, 1b
    finish  A0, 0
    finish  A1, 8
    finish  B0, 16
    finish  B1, 24
    finish  C0, 32
    finish  C1, 40
    finish  D0, 48
    finish  D1, 56
    ret
    .size   chacha20_block, . - chacha20_block

    .section .note.GNU-stack, "", @progbits
