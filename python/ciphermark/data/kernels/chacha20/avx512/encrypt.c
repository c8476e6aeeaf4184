/*
 * ChaCha20 with AVX-512: sixteen blocks in sixteen registers, and two such sets at once, which take all 32, so that one
 * set's instructions fill the other's latency. Up to eight blocks lie in rows, four to a register. The end of a message
 * is loaded and stored under a mask.
 *
 * Source: RFC 8439. Contract: chacha20.h. Constant time: no table is indexed and no branch taken by data.
 */
#include <immintrin.h>
#include <stdint.h>

typedef uint32_t words __attribute__((vector_size(64)));

#define VECTOR(x) ((__m512i)(x))
#define rotate_left_16(x) ((words)_mm512_rol_epi32(VECTOR(x), 16))
#define rotate_left_12(x) ((words)_mm512_rol_epi32(VECTOR(x), 12))
#define rotate_left_8(x) ((words)_mm512_rol_epi32(VECTOR(x), 8))
#define rotate_left_7(x) ((words)_mm512_rol_epi32(VECTOR(x), 7))
#define rotate_row_1(x) ((words)_mm512_shuffle_epi32(VECTOR(x), 0x39))
#define rotate_row_2(x) ((words)_mm512_shuffle_epi32(VECTOR(x), 0x4e))
#define rotate_row_3(x) ((words)_mm512_shuffle_epi32(VECTOR(x), 0x93))

#include "vector_lanes.h"

#define SET_BYTES (16 * CHACHA20_BLOCK_BYTES)
#define ROWS_BYTES (4 * CHACHA20_BLOCK_BYTES)

#define UNPACK_LOW_32(a, b) ((words)_mm512_unpacklo_epi32(VECTOR(a), VECTOR(b)))
#define UNPACK_HIGH_32(a, b) ((words)_mm512_unpackhi_epi32(VECTOR(a), VECTOR(b)))
#define UNPACK_LOW_64(a, b) ((words)_mm512_unpacklo_epi64(VECTOR(a), VECTOR(b)))
#define UNPACK_HIGH_64(a, b) ((words)_mm512_unpackhi_epi64(VECTOR(a), VECTOR(b)))
#define GROUPS(a, b, select) ((words)_mm512_shuffle_i32x4(VECTOR(a), VECTOR(b), select))

/* What is left of the 64 bytes at `at`, none if `bytes` is not beyond them. */
INLINE void add_block(uint8_t *out, const uint8_t *in, size_t at, size_t bytes, words keystream)
{
    if (bytes >= at + CHACHA20_BLOCK_BYTES) {
        __m512i data = _mm512_loadu_si512(in + at);
        _mm512_storeu_si512(out + at, _mm512_xor_si512(data, VECTOR(keystream)));
    } else if (bytes > at) {
        __mmask64 mask = ~(__mmask64)0 >> (64 - (bytes - at));
        __m512i data = _mm512_maskz_loadu_epi8(mask, in + at);
        _mm512_mask_storeu_epi8(out + at, mask, _mm512_xor_si512(data, VECTOR(keystream)));
    }
}

/* Rows of groups of four lanes into columns: x[i]'s group j and x[j]'s group i change places. */
INLINE void transpose_groups(words x[4])
{
    words a = GROUPS(x[0], x[1], 0x44), b = GROUPS(x[2], x[3], 0x44);
    words c = GROUPS(x[0], x[1], 0xee), d = GROUPS(x[2], x[3], 0xee);

    x[0] = GROUPS(a, b, 0x88);
    x[1] = GROUPS(a, b, 0xdd);
    x[2] = GROUPS(c, d, 0x88);
    x[3] = GROUPS(c, d, 0xdd);
}

/* Four vectors of a word of sixteen blocks into four: group j of x[i] is these words of block 4 j + i. */
INLINE void transpose_words(words x[4])
{
    words a = UNPACK_LOW_32(x[0], x[1]), b = UNPACK_HIGH_32(x[0], x[1]);
    words c = UNPACK_LOW_32(x[2], x[3]), d = UNPACK_HIGH_32(x[2], x[3]);

    x[0] = UNPACK_LOW_64(a, c);
    x[1] = UNPACK_HIGH_64(a, c);
    x[2] = UNPACK_LOW_64(b, d);
    x[3] = UNPACK_HIGH_64(b, d);
}

INLINE void finish_set(uint8_t *out, const uint8_t *in, size_t bytes, words x[16])
{
    UNROLLED for (int i = 0; i < 16; i += 4)
        transpose_words(x + i);
    UNROLLED for (int i = 0; i < 4; i++) {
        words blocks[4] = {x[i], x[4 + i], x[8 + i], x[12 + i]};
        transpose_groups(blocks);
        UNROLLED for (int j = 0; j < 4; j++)
            x[4 * j + i] = blocks[j];
    }
    UNROLLED for (int i = 0; i < 16; i++)
        add_block(out, in, (size_t)i * CHACHA20_BLOCK_BYTES, bytes, x[i]);
}

INLINE words every_lane(uint32_t word)
{
    return (words)_mm512_set1_epi32((int)word);
}

INLINE words block_numbers(const uint32_t state[16], uint32_t first)
{
    const words lane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return lane + every_lane(state[12] + first);
}

/* Up to `sets` times 1024 bytes. */
INLINE void encrypt_lanes(uint8_t *out, const uint8_t *in, size_t bytes, const uint32_t state[16], int sets)
{
    words x[2][16];

    UNROLLED for (int s = 0; s < sets; s++) {
        UNROLLED for (int i = 0; i < 16; i++)
            x[s][i] = every_lane(state[i]);
        x[s][12] = block_numbers(state, 16 * (uint32_t)s);
    }
    for (int round = 0; round < DOUBLE_ROUNDS; round++) {
        UNROLLED for (int s = 0; s < sets; s++)
            column_round(x[s]);
        UNROLLED for (int s = 0; s < sets; s++)
            diagonal_round(x[s]);
    }
    UNROLLED for (int s = 0; s < sets; s++) {
        UNROLLED for (int i = 0; i < 16; i++)
            x[s][i] += i == 12 ? block_numbers(state, 16 * (uint32_t)s) : every_lane(state[i]);
        size_t before = (size_t)s * SET_BYTES;
        finish_set(out + before, in + before, bytes > before ? bytes - before : 0, x[s]);
    }
}

/* Up to `sets` times 256 bytes. */
INLINE void encrypt_rows(uint8_t *out, const uint8_t *in, size_t bytes, const uint32_t state[16], int sets)
{
    words x[2][4], started[2][4];

    UNROLLED for (int s = 0; s < sets; s++) {
        const uint32_t n = 4 * (uint32_t)s;
        const words numbers = {n, 0, 0, 0, n + 1, 0, 0, 0, n + 2, 0, 0, 0, n + 3};
        UNROLLED for (int row = 0; row < 4; row++)
            started[s][row] =
                (words)_mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i_u *)(state + 4 * row)));
        started[s][3] += numbers;
        memcpy(x[s], started[s], sizeof x[s]);
    }
    row_rounds(x, sets);
    UNROLLED for (int s = 0; s < sets; s++) {
        UNROLLED for (int row = 0; row < 4; row++)
            x[s][row] += started[s][row];
        transpose_groups(x[s]);
        UNROLLED for (int i = 0; i < 4; i++)
            add_block(out, in, (size_t)(4 * s + i) * CHACHA20_BLOCK_BYTES, bytes, x[s][i]);
    }
}

void chacha20_encrypt(uint8_t *out, const uint8_t *in, size_t bytes, const uint8_t *key, const uint8_t *iv)
{
    uint32_t state[CHACHA20_BLOCK_WORDS];

    load_state(state, key, iv);
    for (; bytes >= 2 * SET_BYTES; bytes -= 2 * SET_BYTES, out += 2 * SET_BYTES, in += 2 * SET_BYTES) {
        encrypt_lanes(out, in, 2 * SET_BYTES, state, 2);
        state[12] += 32;
    }
    if (bytes > SET_BYTES)
        encrypt_lanes(out, in, bytes, state, 2);
    else if (bytes == SET_BYTES)
        encrypt_lanes(out, in, SET_BYTES, state, 1);
    else if (bytes > 2 * ROWS_BYTES)
        encrypt_lanes(out, in, bytes, state, 1);
    else if (bytes > ROWS_BYTES)
        encrypt_rows(out, in, bytes, state, 2);
    else if (bytes > 0)
        encrypt_rows(out, in, bytes, state, 1);
}
