/*
 * ChaCha20 with AVX2: eight blocks in sixteen registers, and two such sets in turns, since one alone leaves the units
 * waiting for its results; the set whose turn it is not lies on the stack. Up to four blocks lie in rows, two to a
 * register.
 *
 * Source: RFC 8439. Contract: chacha20.h. Constant time: no table is indexed and no branch taken by data.
 */
#include <immintrin.h>
#include <stdint.h>

typedef uint32_t words __attribute__((vector_size(32)));

#define VECTOR(x) ((__m256i)(x))
#define rotate_left_16(x) shuffle_bytes(x, rotation_16)
#define rotate_left_12(x) rotate_left(x, 12)
#define rotate_left_8(x) shuffle_bytes(x, rotation_8)
#define rotate_left_7(x) rotate_left(x, 7)
#define rotate_row_1(x) ((words)_mm256_shuffle_epi32(VECTOR(x), 0x39))
#define rotate_row_2(x) ((words)_mm256_shuffle_epi32(VECTOR(x), 0x4e))
#define rotate_row_3(x) ((words)_mm256_shuffle_epi32(VECTOR(x), 0x93))

static const words rotation_16 = {0x01000302, 0x05040706, 0x09080b0a, 0x0d0c0f0e,
                                  0x01000302, 0x05040706, 0x09080b0a, 0x0d0c0f0e};
static const words rotation_8 = {0x02010003, 0x06050407, 0x0a09080b, 0x0e0d0c0f,
                                 0x02010003, 0x06050407, 0x0a09080b, 0x0e0d0c0f};

/* Written out: tuned for the oldest processors, compilers make two slower shuffles of it. */
static inline __attribute__((always_inline)) words shuffle_bytes(words x, words bytes)
{
    __asm__("vpshufb %1, %0, %0" : "+x"(x) : "xm"(bytes));
    return x;
}

static inline __attribute__((always_inline)) words rotate_left(words x, int n)
{
    return x << n | x >> (32 - n);
}

#include "vector_lanes.h"

#define SET_BYTES (8 * CHACHA20_BLOCK_BYTES)
#define ROWS_BYTES (2 * CHACHA20_BLOCK_BYTES)

#define UNPACK_LOW_32(a, b) ((words)_mm256_unpacklo_epi32(VECTOR(a), VECTOR(b)))
#define UNPACK_HIGH_32(a, b) ((words)_mm256_unpackhi_epi32(VECTOR(a), VECTOR(b)))
#define UNPACK_LOW_64(a, b) ((words)_mm256_unpacklo_epi64(VECTOR(a), VECTOR(b)))
#define UNPACK_HIGH_64(a, b) ((words)_mm256_unpackhi_epi64(VECTOR(a), VECTOR(b)))
#define LOW_HALVES(a, b) ((words)_mm256_permute2x128_si256(VECTOR(a), VECTOR(b), 0x20))
#define HIGH_HALVES(a, b) ((words)_mm256_permute2x128_si256(VECTOR(a), VECTOR(b), 0x31))

/* The 32 bytes at `at`. */
INLINE void add_half(uint8_t *out, const uint8_t *in, size_t at, words keystream)
{
    __m256i data = _mm256_loadu_si256((const __m256i_u *)(in + at));
    _mm256_storeu_si256((__m256i_u *)(out + at), _mm256_xor_si256(data, VECTOR(keystream)));
}

/* What is left of the 32 bytes at `at`, none if `bytes` is not beyond them. */
INLINE void add_rest(uint8_t *out, const uint8_t *in, size_t at, size_t bytes, words keystream)
{
    if (bytes >= at + sizeof keystream) {
        add_half(out, in, at, keystream);
    } else {
        uint8_t stream[sizeof keystream];
        memcpy(stream, &keystream, sizeof stream);
        for (size_t i = at; i < bytes; i++)
            out[i] = in[i] ^ stream[i - at];
    }
}

/* Four vectors of a word of eight blocks into four: the halves of x[i] are these words of blocks i and 4 + i. */
INLINE void transpose_words(words x[4])
{
    words a = UNPACK_LOW_32(x[0], x[1]), b = UNPACK_HIGH_32(x[0], x[1]);
    words c = UNPACK_LOW_32(x[2], x[3]), d = UNPACK_HIGH_32(x[2], x[3]);

    x[0] = UNPACK_LOW_64(a, c);
    x[1] = UNPACK_HIGH_64(a, c);
    x[2] = UNPACK_LOW_64(b, d);
    x[3] = UNPACK_HIGH_64(b, d);
}

INLINE void finish_set(uint8_t *out, const uint8_t *in, words x[16])
{
    UNROLLED for (int i = 0; i < 16; i += 4)
        transpose_words(x + i);
    UNROLLED for (size_t i = 0; i < 4; i++) {
        add_half(out, in, i * 64, LOW_HALVES(x[i], x[4 + i]));
        add_half(out, in, i * 64 + 32, LOW_HALVES(x[8 + i], x[12 + i]));
        add_half(out, in, i * 64 + 256, HIGH_HALVES(x[i], x[4 + i]));
        add_half(out, in, i * 64 + 288, HIGH_HALVES(x[8 + i], x[12 + i]));
    }
}

INLINE words every_lane(uint32_t word)
{
    return (words)_mm256_set1_epi32((int)word);
}

INLINE words block_numbers(const uint32_t state[16], uint32_t first)
{
    const words lane = {0, 1, 2, 3, 4, 5, 6, 7};
    return lane + every_lane(state[12] + first);
}

/* `sets` times 512 bytes. */
INLINE void encrypt_lanes(uint8_t *out, const uint8_t *in, const uint32_t state[16], int sets)
{
    words x[2][16];

    for (int s = 0; s < sets; s++) {
        UNROLLED for (int i = 0; i < 16; i++)
            x[s][i] = every_lane(state[i]);
        x[s][12] = block_numbers(state, 8 * (uint32_t)s);
    }
    for (int round = 0; round < DOUBLE_ROUNDS; round++) {
        UNROLLED for (int s = 0; s < sets; s++)
            column_round(x[s]);
        UNROLLED for (int s = 0; s < sets; s++)
            diagonal_round(x[s]);
    }
    for (int s = 0; s < sets; s++) {
        UNROLLED for (int i = 0; i < 16; i++)
            x[s][i] += i == 12 ? block_numbers(state, 8 * (uint32_t)s) : every_lane(state[i]);
        finish_set(out + s * SET_BYTES, in + s * SET_BYTES, x[s]);
    }
}

/* Up to `sets` times 128 bytes. */
INLINE void encrypt_rows(uint8_t *out, const uint8_t *in, size_t bytes, const uint32_t state[16], int sets)
{
    words x[2][4], started[2][4];

    UNROLLED for (int s = 0; s < sets; s++) {
        const words numbers = {2 * (uint32_t)s, 0, 0, 0, 2 * (uint32_t)s + 1};
        UNROLLED for (int row = 0; row < 4; row++)
            started[s][row] =
                (words)_mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i_u *)(state + 4 * row)));
        started[s][3] += numbers;
        memcpy(x[s], started[s], sizeof x[s]);
    }
    row_rounds(x, sets);
    UNROLLED for (int s = 0; s < sets; s++) {
        UNROLLED for (int row = 0; row < 4; row++)
            x[s][row] += started[s][row];
        size_t at = (size_t)s * ROWS_BYTES;
        add_rest(out, in, at, bytes, LOW_HALVES(x[s][0], x[s][1]));
        add_rest(out, in, at + 32, bytes, LOW_HALVES(x[s][2], x[s][3]));
        add_rest(out, in, at + 64, bytes, HIGH_HALVES(x[s][0], x[s][1]));
        add_rest(out, in, at + 96, bytes, HIGH_HALVES(x[s][2], x[s][3]));
    }
}

void chacha20_encrypt(uint8_t *out, const uint8_t *in, size_t bytes, const uint8_t *key, const uint8_t *iv)
{
    uint32_t state[CHACHA20_BLOCK_WORDS];

    load_state(state, key, iv);
    for (; bytes >= 2 * SET_BYTES; bytes -= 2 * SET_BYTES, out += 2 * SET_BYTES, in += 2 * SET_BYTES) {
        encrypt_lanes(out, in, state, 2);
        state[12] += 16;
    }
    if (bytes >= SET_BYTES) {
        encrypt_lanes(out, in, state, 1);
        state[12] += 8;
        bytes -= SET_BYTES;
        out += SET_BYTES;
        in += SET_BYTES;
    }
    for (; bytes > 2 * ROWS_BYTES; bytes -= 2 * ROWS_BYTES, out += 2 * ROWS_BYTES, in += 2 * ROWS_BYTES) {
        encrypt_rows(out, in, 2 * ROWS_BYTES, state, 2);
        state[12] += 4;
    }
    if (bytes > ROWS_BYTES)
        encrypt_rows(out, in, bytes, state, 2);
    else if (bytes > 0)
        encrypt_rows(out, in, bytes, state, 1);
}
