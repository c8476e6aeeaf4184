/*
 * The rounds of ChaCha20 on C vectors of words, for SIMD of any width. Two layouts:
 *   lanes   sixteen vectors, one for each word of the state, a block in each lane. Nothing is shuffled in the rounds.
 *   rows    four vectors, one for each row of the state, a block in each group of four lanes: fewer blocks, and rows
 *           are rotated between column and diagonal rounds.
 *
 * Include after the type `words`, a vector of uint32_t, and the functions rotate_left_16, _12, _8 and _7 of it; for
 * rows also rotate_row_1, _2 and _3, which move lane i + n of each group of four to lane i.
 *
 * Source: RFC 8439, section 2.3; the layouts as in Goll and Gueron: Vectorization on ChaCha Stream Cipher, ITNG 2014.
 * Contract: chacha20.h. Constant time: no table is indexed and no branch taken by data.
 */
#ifndef CIPHERMARK_CHACHA20_VECTOR_LANES_H
#define CIPHERMARK_CHACHA20_VECTOR_LANES_H

#include <string.h>

#include "chacha20.h"

#define DOUBLE_ROUNDS 10

#define INLINE static inline __attribute__((always_inline))

/* Before a loop whose vectors are to be registers. */
#define UNROLLED _Pragma("clang loop unroll(full)")

/* The state of a message's first block. */
INLINE void load_state(uint32_t state[CHACHA20_BLOCK_WORDS], const uint8_t *key, const uint8_t *iv)
{
    static const uint32_t constants[4] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};

    memcpy(state, constants, 16);
    memcpy(state + 4, key, 32);
    memcpy(state + 12, iv, 16);
}

INLINE void quarter_round(words *a, words *b, words *c, words *d)
{
    *a += *b;
    *d = rotate_left_16(*d ^ *a);
    *c += *d;
    *b = rotate_left_12(*b ^ *c);
    *a += *b;
    *d = rotate_left_8(*d ^ *a);
    *c += *d;
    *b = rotate_left_7(*b ^ *c);
}

/* Four quarter rounds step by step, so that neighbours in the code do not wait for each other. */
INLINE void quarter_rounds(words x[16], const int a[4], const int b[4], const int c[4], const int d[4])
{
#define EACH(statement) UNROLLED for (int i = 0; i < 4; i++) statement
    EACH(x[a[i]] += x[b[i]];)
    EACH(x[d[i]] = rotate_left_16(x[d[i]] ^ x[a[i]]);)
    EACH(x[c[i]] += x[d[i]];)
    EACH(x[b[i]] = rotate_left_12(x[b[i]] ^ x[c[i]]);)
    EACH(x[a[i]] += x[b[i]];)
    EACH(x[d[i]] = rotate_left_8(x[d[i]] ^ x[a[i]]);)
    EACH(x[c[i]] += x[d[i]];)
    EACH(x[b[i]] = rotate_left_7(x[b[i]] ^ x[c[i]]);)
#undef EACH
}

INLINE void column_round(words x[16])
{
    quarter_rounds(x, (const int[]){0, 1, 2, 3}, (const int[]){4, 5, 6, 7}, (const int[]){8, 9, 10, 11},
                   (const int[]){12, 13, 14, 15});
}

INLINE void diagonal_round(words x[16])
{
    quarter_rounds(x, (const int[]){0, 1, 2, 3}, (const int[]){5, 6, 7, 4}, (const int[]){10, 11, 8, 9},
                   (const int[]){15, 12, 13, 14});
}

#ifdef rotate_row_1
/* All rounds of `sets` sets of rows, by turns. */
INLINE void row_rounds(words x[][4], int sets)
{
    for (int round = 0; round < DOUBLE_ROUNDS; round++) {
        UNROLLED for (int s = 0; s < sets; s++)
            quarter_round(&x[s][0], &x[s][1], &x[s][2], &x[s][3]);
        UNROLLED for (int s = 0; s < sets; s++) {
            x[s][1] = rotate_row_1(x[s][1]);
            x[s][2] = rotate_row_2(x[s][2]);
            x[s][3] = rotate_row_3(x[s][3]);
        }
        UNROLLED for (int s = 0; s < sets; s++)
            quarter_round(&x[s][0], &x[s][1], &x[s][2], &x[s][3]);
        UNROLLED for (int s = 0; s < sets; s++) {
            x[s][1] = rotate_row_3(x[s][1]);
            x[s][2] = rotate_row_2(x[s][2]);
            x[s][3] = rotate_row_1(x[s][3]);
        }
    }
}
#endif

#endif
