/*
 * ChaCha20 with a register for each word of the state: registers and rounds, for RV32 and RV64. A register holds one
 * word, with anything above it, or one word of each of two blocks: the rounds do not care.
 *
 * Include after the macros
 *   add_words to, x, y              \to = \x + \y
 *   xor_rotate to, x, y, n, t       \to = (\x ^ \y) <<< \n; may clobber \t
 * and after FRAME_WORD, the bytes of such a register's contents, with LOAD_WORD and STORE_WORD for them. If INTERLEAVED is
 * defined, quarter rounds are interleaved (words_interleaved.h).
 *
 * State, temporary, three pointers and half of the initial state fill the 28 registers there are. In every block of a
 * message the first round differs only in column 0, so its other three columns, and what of the second round
 * depends on these alone, are computed once and kept on the stack.
 *
 * Source: RFC 8439. Contract: chacha20.h; what includes this clobbers what the standard calling convention allows.
 * Constant time: no table is indexed and no branch taken by data.
 */
#ifndef CIPHERMARK_CHACHA20_WORDS_H
#define CIPHERMARK_CHACHA20_WORDS_H

#if __riscv_xlen == 64
#define LOAD_X ld
#define STORE_X sd
#define X_BYTES 8
#else
#define LOAD_X lw
#define STORE_X sw
#define X_BYTES 4
#endif

#define OUT a0
#define IN a1
#define END a2 /* of the whole blocks of the input */
#define T a5

#define X0 a6
#define X1 a7
#define X2 t0
#define X3 t1
#define X4 t2
#define X5 t3
#define X6 t4
#define X7 t5
#define X8 t6
#define X9 s0
#define X10 s1
#define X11 s2
#define X12 s3
#define X13 s4
#define X14 s5
#define X15 s6

/* Words of the initial state; the others are in the frame. */
#define I0 s7
#define I1 s8
#define I2 s9
#define I3 s10
#define I4 s11
#define I5 ra
#define I8 a3
#define I12 a4

/* Frame: words that blocks begin with, initial words, then the arguments and what the caller wants preserved. */
#define STARTED(i) (FRAME_WORD * (i))
#define INITIAL(i) (FRAME_WORD * (16 + (i)))
#define ARGUMENT(i) (FRAME_WORD * 32 + (i) * X_BYTES)
#define SAVED(i) ARGUMENT(3 + (i))
#define STACK_BYTES ARGUMENT(16)

.macro each_saved instruction
    \instruction ra, SAVED(0)(sp)
    \instruction s0, SAVED(1)(sp)
    \instruction s1, SAVED(2)(sp)
    \instruction s2, SAVED(3)(sp)
    \instruction s3, SAVED(4)(sp)
    \instruction s4, SAVED(5)(sp)
    \instruction s5, SAVED(6)(sp)
    \instruction s6, SAVED(7)(sp)
    \instruction s7, SAVED(8)(sp)
    \instruction s8, SAVED(9)(sp)
    \instruction s9, SAVED(10)(sp)
    \instruction s10, SAVED(11)(sp)
    \instruction s11, SAVED(12)(sp)
.endm

.macro step a, b, d, n
    add_words \a, \a, \b
    xor_rotate \d, \d, \a, \n, T
.endm

.macro quarter_round a, b, c, d
    step    \a, \b, \d, 16
    step    \c, \d, \b, 12
    step    \a, \b, \d, 8
    step    \c, \d, \b, 7
.endm

/* A first quarter round, from words that are to be kept. */
.macro quarter_round_from a, b, c, d, from_a, from_b, from_c, from_d
    add_words \a, \from_a, \from_b
    xor_rotate \d, \from_d, \a, 16, T
    add_words \c, \from_c, \d
    xor_rotate \b, \from_b, \c, 12, T
    step    \a, \b, \d, 8
    step    \c, \d, \b, 7
.endm

/* The first two rounds but for what depends on column 0. */
.macro start_without_column_0
    quarter_round_from X1, X5, X9, X13, I1, I5, X9, X13
    quarter_round_from X2, X6, X10, X14, I2, X6, X10, X14
    quarter_round_from X3, X7, X11, X15, I3, X7, X11, X15
    add_words X1, X1, X6
    step    X2, X7, X13, 16
.endm

#ifdef INTERLEAVED
#include "words_interleaved.h"
#else
.macro column_round
    quarter_round X0, X4, X8, X12
    quarter_round X1, X5, X9, X13
    quarter_round X2, X6, X10, X14
    quarter_round X3, X7, X11, X15
.endm

.macro diagonal_round
    quarter_round X0, X5, X10, X15
    quarter_round X1, X6, X11, X12
    quarter_round X2, X7, X8, X13
    quarter_round X3, X4, X9, X14
.endm

/* The rest of the first two rounds. */
.macro start_with_column_0
    quarter_round_from X0, X4, X8, X12, I0, I4, I8, I12
    quarter_round X0, X5, X10, X15
    xor_rotate X12, X12, X1, 16, T
    step    X11, X12, X6, 12
    step    X1, X6, X12, 8
    step    X11, X12, X6, 7
    step    X8, X13, X7, 12
    step    X2, X7, X13, 8
    step    X8, X13, X7, 7
    quarter_round X3, X4, X9, X14
.endm
#endif

/* From the third round to the last. */
.macro remaining_rounds
    .rept 9
    column_round
    diagonal_round
    .endr
.endm

/* `\macro x, i` for the words whose initial values are in the frame. */
.macro each_framed_word macro
    \macro  X6, 6
    \macro  X7, 7
    \macro  X9, 9
    \macro  X10, 10
    \macro  X11, 11
    \macro  X13, 13
    \macro  X14, 14
    \macro  X15, 15
.endm

/* Likewise for all words outside column 0. */
.macro each_started_word macro
    \macro  X1, 1
    \macro  X2, 2
    \macro  X3, 3
    \macro  X5, 5
    each_framed_word \macro
.endm

.macro each_word macro
    \macro  X0, 0
    \macro  X4, 4
    \macro  X8, 8
    \macro  X12, 12
    each_started_word \macro
.endm

.macro store_started x, i
    STORE_WORD \x, STARTED(\i)(sp)
.endm

.macro load_started x, i
    LOAD_WORD \x, STARTED(\i)(sp)
.endm

.macro store_initial x, i
    STORE_WORD \x, INITIAL(\i)(sp)
.endm

#endif
