/*
 * One block with XChaChaV4: a register holds two neighbours of a row, so that the state is eight registers as they lie
 * in memory, and a round is two times eight instructions and four packs that turn columns into diagonals or back.
 */
#ifndef CIPHERMARK_CHACHA20_ISE_V4_TUNED_ROWS_H
#define CIPHERMARK_CHACHA20_ISE_V4_TUNED_ROWS_H

#include "steps.h"

/* Columns; T is free. */
#define A0 a5
#define A1 a6
#define B0 a7
#define B1 t0
#define C0 t1
#define C1 t2
#define D0 t3
#define D1 t4
#define T t5

/* Diagonals in the same registers: rows B and D turned, row C with its halves exchanged; D1 is free. */
#define TURNED_B0 T
#define TURNED_B1 B1
#define TURNED_D0 B0
#define TURNED_D1 D0

.macro two_quarter_rounds a, b, c, d, from_a, from_b, from_c, from_d
    add_words \a, \from_a, \from_b
    xor_rotate \d, \from_d, \a, 16
    add_words \c, \from_c, \d
    xor_rotate \b, \from_b, \c, 12
    add_words \a, \a, \b
    xor_rotate \d, \d, \a, 8
    add_words \c, \c, \d
    xor_rotate \b, \b, \c, 7
.endm

.macro column_round
    two_quarter_rounds A0, B0, C0, D0, A0, B0, C0, D0
    two_quarter_rounds A1, B1, C1, D1, A1, B1, C1, D1
.endm

.macro diagonal_round
    chacha.packlh TURNED_B0, B0, B1
    chacha.packlh TURNED_B1, B1, B0
    chacha.packlh TURNED_D0, D1, D0
    chacha.packlh TURNED_D1, D0, D1
    two_quarter_rounds A0, TURNED_B0, C1, TURNED_D0, A0, TURNED_B0, C1, TURNED_D0
    two_quarter_rounds A1, TURNED_B1, C0, TURNED_D1, A1, TURNED_B1, C0, TURNED_D1
    chacha.packlh D1, TURNED_D1, TURNED_D0
    chacha.packlh D0, TURNED_D0, TURNED_D1
    chacha.packlh B0, TURNED_B1, TURNED_B0
    chacha.packlh B1, TURNED_B0, TURNED_B1
.endm

/* From the second round to the last. */
.macro remaining_rounds_of_rows
    diagonal_round
    .rept 9
    column_round
    diagonal_round
    .endr
.endm

#endif
