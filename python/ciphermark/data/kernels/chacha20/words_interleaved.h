/*
 * The rounds of words.h with the four quarter rounds of each interleaved, and words finished several at a time. The
 * instructions are those of the plain ones in another order: none writes the register that the one before it wrote, and
 * few use what the one before them loaded. Some pipelines wait for the one or the other.
 *
 * Include after the macros of words.h and after
 *   xor_words to, x, y              \to = \x ^ \y
 *   rotate x, n                     \x = \x <<< \n
 */
#ifndef CIPHERMARK_CHACHA20_WORDS_INTERLEAVED_H
#define CIPHERMARK_CHACHA20_WORDS_INTERLEAVED_H

.macro step_4 n, a0, a1, a2, a3, b0, b1, b2, b3, d0, d1, d2, d3
    add_words \a0, \a0, \b0
    add_words \a1, \a1, \b1
    add_words \a2, \a2, \b2
    add_words \a3, \a3, \b3
    xor_words \d0, \d0, \a0
    xor_words \d1, \d1, \a1
    xor_words \d2, \d2, \a2
    xor_words \d3, \d3, \a3
    rotate  \d0, \n
    rotate  \d1, \n
    rotate  \d2, \n
    rotate  \d3, \n
.endm

/* Four quarter rounds without their first steps. */
.macro later_steps_4 a0, a1, a2, a3, b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3
    step_4  12, \c0, \c1, \c2, \c3, \d0, \d1, \d2, \d3, \b0, \b1, \b2, \b3
    step_4  8, \a0, \a1, \a2, \a3, \b0, \b1, \b2, \b3, \d0, \d1, \d2, \d3
    step_4  7, \c0, \c1, \c2, \c3, \d0, \d1, \d2, \d3, \b0, \b1, \b2, \b3
.endm

.macro column_round
    step_4  16, X0, X1, X2, X3, X4, X5, X6, X7, X12, X13, X14, X15
    later_steps_4 X0, X1, X2, X3, X4, X5, X6, X7, X8, X9, X10, X11, X12, X13, X14, X15
.endm

.macro later_steps_of_diagonal_round
    later_steps_4 X0, X1, X2, X3, X5, X6, X7, X4, X10, X11, X8, X9, X15, X12, X13, X14
.endm

.macro diagonal_round
    step_4  16, X0, X1, X2, X3, X5, X6, X7, X4, X15, X12, X13, X14
    later_steps_of_diagonal_round
.endm

/* The rest of the first two rounds. */
.macro start_with_column_0
    quarter_round_from X0, X4, X8, X12, I0, I4, I8, I12
    add_words X0, X0, X5
    add_words X3, X3, X4
    xor_words X12, X12, X1
    xor_words X15, X15, X0
    xor_words X14, X14, X3
    rotate  X12, 16
    rotate  X15, 16
    rotate  X14, 16
    later_steps_of_diagonal_round
.endm

/* Words \i to \i + 3 of a block: the initial ones added, stored. */
.macro finish_block_words w, x, y, z, i
    lw      a2, (4 * \i)(a1)
    lw      a3, (4 * \i + 4)(a1)
    lw      a4, (4 * \i + 8)(a1)
    lw      a5, (4 * \i + 12)(a1)
    add     \w, \w, a2
    add     \x, \x, a3
    add     \y, \y, a4
    add     \z, \z, a5
    sw      \w, (4 * \i)(a0)
    sw      \x, (4 * \i + 4)(a0)
    sw      \y, (4 * \i + 8)(a0)
    sw      \z, (4 * \i + 12)(a0)
.endm

.macro finish_block
    finish_block_words X0, X1, X2, X3, 0
    finish_block_words X4, X5, X6, X7, 4
    finish_block_words X8, X9, X10, X11, 8
    finish_block_words X12, X13, X14, X15, 12
.endm

.macro load_input to, i
    lw      \to, (4 * \i)(IN)
.endm

.macro store_output x, input, i
    xor     \x, \x, \input
    sw      \x, (4 * \i)(OUT)
.endm

/* Words in the frame, three at a time, with six registers that are free. */
.macro finish_framed_words x, i, y, j, z, k, p, q, r, s, t, u
    lw      \p, INITIAL(\i)(sp)
    lw      \q, INITIAL(\j)(sp)
    lw      \r, INITIAL(\k)(sp)
    load_input \s, \i
    load_input \t, \j
    load_input \u, \k
    add     \x, \x, \p
    add     \y, \y, \q
    add     \z, \z, \r
    store_output \x, \s, \i
    store_output \y, \t, \j
    store_output \z, \u, \k
.endm

/* A block of a message, with T and the registers of words that are stored already. */
.macro finish_words
    load_input T, 0
    add     X0, X0, I0
    add     X1, X1, I1
    add     X2, X2, I2
    add     X3, X3, I3
    add     X4, X4, I4
    add     X5, X5, I5
    add     X8, X8, I8
    add     X12, X12, I12
    store_output X0, T, 0
    load_input X0, 1
    load_input T, 2
    store_output X1, X0, 1
    store_output X2, T, 2
    load_input X0, 3
    load_input X1, 4
    load_input X2, 5
    load_input T, 8
    store_output X3, X0, 3
    store_output X4, X1, 4
    store_output X5, X2, 5
    store_output X8, T, 8
    load_input T, 12
    finish_framed_words X6, 6, X7, 7, X9, 9, X0, X1, X2, X3, X4, X5
    store_output X12, T, 12
    finish_framed_words X10, 10, X11, 11, X13, 13, X0, X1, X2, X3, X4, X5
    lw      X6, INITIAL(14)(sp)
    lw      X7, INITIAL(15)(sp)
    load_input X8, 14
    load_input X9, 15
    add     X14, X14, X6
    add     X15, X15, X7
    store_output X14, X8, 14
    store_output X15, X9, 15
.endm

#endif
