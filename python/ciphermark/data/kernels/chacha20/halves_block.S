/*
 * The ChaCha20 block function on halves (see halves.h), for each folder whose quarter_round.h says what the steps are. Clobbers
 * a2, a3, a5 to a7 and t0 to t6.
 */
#include "quarter_round.h"

#include "halves.h"

#define INITIAL_AD0 a2
#define INITIAL_AD1 a3

/* Two columns' registers, from words of the state at \upper and \lower; \odd is not \even. */
.macro load_columns even, odd, upper, lower
    ld      T, \upper(a1)
    ld      \odd, \lower(a1)
    chacha.pack \even, \odd, T
    chacha.packh \odd, \odd, T
.endm

/* Stores the upper halves of \x and \y, plus two words of the state. */
.macro finish_upper x, y, offset
    ld      U, \offset(a1)
    add_high DT, \y, U
    slli    U, U, 32
    add     U, U, \x
    chacha.packh U, U, DT
    sd      U, \offset(a0)
.endm

/* Likewise the lower halves, which are lost. */
.macro finish_lower x, y, offset
    ld      U, \offset(a1)
    add     \x, \x, U
    srli    U, U, 32
    add     \y, \y, U
    chacha.pack \x, \x, \y
    sd      \x, \offset(a0)
.endm

    .text
    .globl  chacha20_block
    .type   chacha20_block, @function
    .balign 4
chacha20_block:
    load_columns INITIAL_AD0, INITIAL_AD1, 0, 48
    load_columns AD2, AD3, 8, 56
    load_columns BC0, BC1, 16, 32
    load_columns BC2, BC3, 24, 40
    quarter_round AD0, BC0, INITIAL_AD0, BC0, T
    quarter_round AD1, BC1, INITIAL_AD1, BC1, T
    quarter_round AD2, BC2, AD2, BC2, T
    quarter_round AD3, BC3, AD3, BC3, T
    columns_to_diagonals
    diagonal_round
    remaining_rounds

    add_high U, DAD0, INITIAL_AD0
    add_high DT, DAD1, INITIAL_AD1
    chacha.packh U, U, DT
    sd      U, 0(a0)
    finish_upper DAD2, DAD3, 8
    finish_upper DBC3, DBC0, 16
    finish_upper DBC1, DBC2, 24
    finish_lower DBC2, DBC3, 32
    finish_lower DBC0, DBC1, 40
    add     DAD1, DAD1, INITIAL_AD0
    add     DAD2, DAD2, INITIAL_AD1
    chacha.pack DAD1, DAD1, DAD2
    sd      DAD1, 48(a0)
    finish_lower DAD3, DAD0, 56
    ret
    .size   chacha20_block, . - chacha20_block

    .section .note.GNU-stack, "", @progbits
