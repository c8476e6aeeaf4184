/*
 * The ChaCha20 block function with XChaChaV4: rows.h unrolled, half of the initial state kept in registers.
 *
 * Source: RFC 8439. Contract: chacha20.h. Clobbers a2 to a7 and t0 to t6.
 * Constant time: no table is indexed and no branch taken by data.
 */
#include "rows.h"

#define INITIAL_A0 a2
#define INITIAL_B0 a3
#define INITIAL_C0 a4
#define INITIAL_D0 t6

.macro finish x, initial, offset
    add_words \x, \x, \initial
    sd      \x, \offset(a0)
.endm

.macro finish_from_memory x, offset
    ld      T, \offset(a1)
    finish  \x, T, \offset
.endm

    .text
    .globl  chacha20_block
    .type   chacha20_block, @function
    .balign 4
chacha20_block:
    ld      INITIAL_A0, 0(a1)
    ld      A1, 8(a1)
    ld      INITIAL_B0, 16(a1)
    ld      B1, 24(a1)
    ld      INITIAL_C0, 32(a1)
    ld      C1, 40(a1)
    ld      INITIAL_D0, 48(a1)
    ld      D1, 56(a1)
    two_quarter_rounds A0, B0, C0, D0, INITIAL_A0, INITIAL_B0, INITIAL_C0, INITIAL_D0
    two_quarter_rounds A1, B1, C1, D1, A1, B1, C1, D1
    remaining_rounds_of_rows
    finish  A0, INITIAL_A0, 0
    finish_from_memory A1, 8
    finish  B0, INITIAL_B0, 16
    finish_from_memory B1, 24
    finish  C0, INITIAL_C0, 32
    finish_from_memory C1, 40
    finish  D0, INITIAL_D0, 48
    finish_from_memory D1, 56
    ret
    .size   chacha20_block, . - chacha20_block

    .section .note.GNU-stack, "", @progbits
