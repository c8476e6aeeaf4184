/*
 * ChaCha20 with Advanced SIMD (NEON) of AArch64: four blocks in sixteen registers. What is left of a message takes them
 * once more for three blocks or four, and rows, a register each, for one or two.
 *
 * Source: RFC 8439. Contract: chacha20.h. Constant time: no table is indexed and no branch taken by data.
 */
#include <arm_neon.h>
#include <stdint.h>

typedef uint32x4_t words;

#define ROTATE_LEFT(x, n) vsriq_n_u32(vshlq_n_u32(x, n), x, 32 - (n))
#define rotate_left_16(x) vreinterpretq_u32_u16(vrev32q_u16(vreinterpretq_u16_u32(x)))
#define rotate_left_12(x) rotate_by_12(x)
#define rotate_left_8(x) rotate_by_8(x)
#define rotate_left_7(x) rotate_by_7(x)
#define rotate_row_1(x) vextq_u32(x, x, 1)
#define rotate_row_2(x) vextq_u32(x, x, 2)
#define rotate_row_3(x) vextq_u32(x, x, 3)

static inline __attribute__((always_inline)) words rotate_by_12(words x)
{
    return ROTATE_LEFT(x, 12);
}

static inline __attribute__((always_inline)) words rotate_by_8(words x)
{
    const uint8x16_t bytes = {3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14};
    return vreinterpretq_u32_u8(vqtbl1q_u8(vreinterpretq_u8_u32(x), bytes));
}

static inline __attribute__((always_inline)) words rotate_by_7(words x)
{
    return ROTATE_LEFT(x, 7);
}

#include "vector_lanes.h"

#define SET_BYTES (4 * CHACHA20_BLOCK_BYTES)

/* The 16 bytes at `at`. */
INLINE void add_quarter(uint8_t *out, const uint8_t *in, size_t at, words keystream)
{
    vst1q_u8(out + at, veorq_u8(vld1q_u8(in + at), vreinterpretq_u8_u32(keystream)));
}

/* What is left of the 16 bytes at `at`, none if `bytes` is not beyond them. */
INLINE void add_rest(uint8_t *out, const uint8_t *in, size_t at, size_t bytes, words keystream)
{
    if (bytes >= at + sizeof keystream) {
        add_quarter(out, in, at, keystream);
    } else {
        uint8_t stream[sizeof keystream];
        vst1q_u8(stream, vreinterpretq_u8_u32(keystream));
        for (size_t i = at; i < bytes; i++)
            out[i] = in[i] ^ stream[i - at];
    }
}

/* Four vectors of a word of four blocks into these words of block i in x[i]. */
INLINE void transpose_words(words x[4])
{
    uint64x2_t a = vreinterpretq_u64_u32(vtrn1q_u32(x[0], x[1])), b = vreinterpretq_u64_u32(vtrn2q_u32(x[0], x[1]));
    uint64x2_t c = vreinterpretq_u64_u32(vtrn1q_u32(x[2], x[3])), d = vreinterpretq_u64_u32(vtrn2q_u32(x[2], x[3]));

    x[0] = vreinterpretq_u32_u64(vtrn1q_u64(a, c));
    x[1] = vreinterpretq_u32_u64(vtrn1q_u64(b, d));
    x[2] = vreinterpretq_u32_u64(vtrn2q_u64(a, c));
    x[3] = vreinterpretq_u32_u64(vtrn2q_u64(b, d));
}

INLINE words block_numbers(const uint32_t state[16])
{
    const words lane = {0, 1, 2, 3};
    return lane + vdupq_n_u32(state[12]);
}

/* The keystream of four blocks: word 4 i + k of block j is element k of x[4 i + j]. */
INLINE void four_blocks(words x[16], const uint32_t state[16])
{
    UNROLLED for (int i = 0; i < 16; i++)
        x[i] = vdupq_n_u32(state[i]);
    x[12] = block_numbers(state);
    for (int round = 0; round < DOUBLE_ROUNDS; round++) {
        column_round(x);
        diagonal_round(x);
    }
    UNROLLED for (int i = 0; i < 16; i++)
        x[i] += i == 12 ? block_numbers(state) : vdupq_n_u32(state[i]);
    UNROLLED for (int i = 0; i < 16; i += 4)
        transpose_words(x + i);
}

/* Up to `blocks` blocks, a set of rows each. */
INLINE void encrypt_rows(uint8_t *out, const uint8_t *in, size_t bytes, const uint32_t state[16], int blocks)
{
    words x[2][4], started[2][4];

    UNROLLED for (int s = 0; s < blocks; s++) {
        const words number = {(uint32_t)s};
        UNROLLED for (int row = 0; row < 4; row++)
            started[s][row] = vld1q_u32(state + 4 * row);
        started[s][3] += number;
        memcpy(x[s], started[s], sizeof x[s]);
    }
    row_rounds(x, blocks);
    UNROLLED for (int s = 0; s < blocks; s++) {
        UNROLLED for (int row = 0; row < 4; row++)
            add_rest(out, in, (size_t)(64 * s + 16 * row), bytes, x[s][row] + started[s][row]);
    }
}

void chacha20_encrypt(uint8_t *out, const uint8_t *in, size_t bytes, const uint8_t *key, const uint8_t *iv)
{
    uint32_t state[CHACHA20_BLOCK_WORDS];
    words x[16];

    load_state(state, key, iv);
    for (; bytes >= SET_BYTES; bytes -= SET_BYTES, out += SET_BYTES, in += SET_BYTES) {
        four_blocks(x, state);
        UNROLLED for (size_t i = 0; i < 16; i++)
            add_quarter(out, in, 16 * i, x[4 * (i % 4) + i / 4]);
        state[12] += 4;
    }
    if (bytes > 2 * CHACHA20_BLOCK_BYTES) {
        four_blocks(x, state);
        UNROLLED for (size_t i = 0; i < 16; i++)
            add_rest(out, in, 16 * i, bytes, x[4 * (i % 4) + i / 4]);
    } else if (bytes > CHACHA20_BLOCK_BYTES) {
        encrypt_rows(out, in, bytes, state, 2);
    } else if (bytes > 0) {
        encrypt_rows(out, in, bytes, state, 1);
    }
}
