/*
 * ChaCha20's rounds on register groups: a group of four holds one row of the state, four words of each of many
 * blocks, so that four quarter rounds of every block are four additions, four exclusive ors and four rotations.
 *
 * Include after the macros
 *   rotation_constants      whatever rotations need in t3 to t6
 *   rotate x, n, t          \x = \x <<< \n; may clobber \t
 *
 * A diagonal round is a column round on rows moved against each other by 1, 2 and 3 words. The row that stays is the
 * second: it is the last that a round finishes. The words of a row may lie in any order and number that the three
 * index vectors know how to move.
 *
 * Source: RFC 8439; rows after Goll and Gueron, Vectorization on ChaCha Stream Cipher, ITNG 2014.
 */
#ifndef CIPHERMARK_CHACHA20_ROW_GROUPS_H
#define CIPHERMARK_CHACHA20_ROW_GROUPS_H

/* \x += \y; \z = (\z ^ \x) <<< \n */
.macro step x, y, z, n, t
    vadd.vv \x, \x, \y
    vxor.vv \z, \z, \x
    rotate  \z, \n, \t
.endm

.macro round_of_rows a, b, c, d, t
    step    \a, \b, \d, 16, \t
    step    \c, \d, \b, 12, \t
    step    \a, \b, \d, 8, \t
    step    \c, \d, \b, 7, \t
.endm

/*
 * \ahead1, \ahead2, \ahead3: vectors of 16-bit indices of the word 1, 2, 3 columns further on in the same block.
 * A gather cannot write where it reads, so the free group goes through the rows, and back in the second half.
 */
.macro double_round a, b, c, d, t, ahead1, ahead2, ahead3
    round_of_rows \a, \b, \c, \d, \t
    vrgatherei16.vv \t, \a, \ahead3
    vrgatherei16.vv \a, \c, \ahead1
    vrgatherei16.vv \c, \d, \ahead2
    round_of_rows \t, \b, \a, \c, \d
    vrgatherei16.vv \d, \c, \ahead2
    vrgatherei16.vv \c, \a, \ahead3
    vrgatherei16.vv \a, \t, \ahead1
.endm

#endif
