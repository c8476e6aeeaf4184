/* Quarter rounds and the shift between columns and diagonals, as Marshall, Page and Pham write them for XChaChaV4. */
#ifndef CIPHERMARK_CHACHA20_ISE_V4_TWO_COLUMNS_H
#define CIPHERMARK_CHACHA20_ISE_V4_TWO_COLUMNS_H

#include "chacha-v4.h"

/* Two columns or diagonals, one a lane. */
.macro quarter_rounds a, b, c, d
    chacha.add.v4 \a, \a, \b
    chacha.xorrol16.v4 \d, \d, \a
    chacha.add.v4 \c, \c, \d
    chacha.xorrol12.v4 \b, \b, \c
    chacha.add.v4 \a, \a, \b
    chacha.xorrol8.v4 \d, \d, \a
    chacha.add.v4 \c, \c, \d
    chacha.xorrol7.v4 \b, \b, \c
.endm

/* Four words in a row: one place round. */
.macro rotate_row to_0, to_1, from_0, from_1
    chacha.packlh \to_0, \from_0, \from_1
    chacha.packlh \to_1, \from_1, \from_0
.endm

/* A row is two registers; the rows are \a, \b, \c, \d, and \t is for the turned \b and \d. */
.macro double_round a0, a1, b0, b1, c0, c1, d0, d1, t0, t1, t2, t3
    quarter_rounds \a0, \b0, \c0, \d0
    quarter_rounds \a1, \b1, \c1, \d1
    rotate_row \t0, \t1, \b0, \b1
    rotate_row \t2, \t3, \d1, \d0
    quarter_rounds \a0, \t0, \c1, \t2
    quarter_rounds \a1, \t1, \c0, \t3
    rotate_row \b0, \b1, \t1, \t0
    rotate_row \d0, \d1, \t2, \t3
.endm

#endif
