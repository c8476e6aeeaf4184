/*
 * AES, one block, by table look-up: ../block.S in portable C for little-endian machines, on the same tables, with the
 * same schedule.
 *
 * Contract: aes.h; any alignment.
 * NOT constant time: the addresses of the look-ups depend on key and data, and caches tell them apart.
 */
#include "../tables.h"
#include "aes.h"

#define INLINE static inline __attribute__((always_inline))

INLINE uint32_t load_word(const uint8_t *from)
{
    uint32_t x;
    __builtin_memcpy(&x, from, sizeof x);
    return x;
}

INLINE void store_word(uint8_t *to, uint32_t x)
{
    __builtin_memcpy(to, &x, sizeof x);
}

/* One column of a full round: byte i of r<i> through table i. */
INLINE uint32_t column(const aes_ttable *table, uint32_t r0, uint32_t r1, uint32_t r2, uint32_t r3)
{
    return table->column[0][r0 & 0xff] ^ table->column[1][r1 >> 8 & 0xff] ^ table->column[2][r2 >> 16 & 0xff]
        ^ table->column[3][r3 >> 24];
}

/* One column of the last round, which has no MixColumns. */
INLINE uint32_t last_column(const aes_ttable *table, uint32_t r0, uint32_t r1, uint32_t r2, uint32_t r3)
{
    return table->sbox[r0 & 0xff] | (uint32_t)table->sbox[r1 >> 8 & 0xff] << 8
        | (uint32_t)table->sbox[r2 >> 16 & 0xff] << 16 | (uint32_t)table->sbox[r3 >> 24] << 24;
}

/*
 * ShiftRows (FIPS 197, 5.1.2): column j takes row i from column j + i; its inverse from column j - i, which exchanges
 * the two odd rows.
 */
INLINE void cipher(
    uint8_t *out, const uint8_t *in, const uint8_t *round_key, unsigned rounds, const aes_ttable *table, int inverse)
{
    uint32_t x0 = load_word(in) ^ load_word(round_key);
    uint32_t x1 = load_word(in + 4) ^ load_word(round_key + 4);
    uint32_t x2 = load_word(in + 8) ^ load_word(round_key + 8);
    uint32_t x3 = load_word(in + 12) ^ load_word(round_key + 12);

#define EACH_COLUMN(function, y0, y1, y2, y3) \
    uint32_t y0 = function(table, x0, inverse ? x3 : x1, x2, inverse ? x1 : x3) ^ load_word(round_key); \
    uint32_t y1 = function(table, x1, inverse ? x0 : x2, x3, inverse ? x2 : x0) ^ load_word(round_key + 4); \
    uint32_t y2 = function(table, x2, inverse ? x1 : x3, x0, inverse ? x3 : x1) ^ load_word(round_key + 8); \
    uint32_t y3 = function(table, x3, inverse ? x2 : x0, x1, inverse ? x0 : x2) ^ load_word(round_key + 12)

    for (const uint8_t *last = round_key + AES_BLOCK_BYTES * (rounds - 1); round_key != last;) {
        round_key += AES_BLOCK_BYTES;
        EACH_COLUMN(column, y0, y1, y2, y3);
        x0 = y0;
        x1 = y1;
        x2 = y2;
        x3 = y3;
    }
    round_key += AES_BLOCK_BYTES;
    EACH_COLUMN(last_column, y0, y1, y2, y3);
    store_word(out, y0);
    store_word(out + 4, y1);
    store_word(out + 8, y2);
    store_word(out + 12, y3);
#undef EACH_COLUMN
}

#define BLOCK_FUNCTIONS(N, ROUNDS) \
    void aes_##N##_block(uint8_t *out, const uint8_t *in, const void *rk) \
    { cipher(out, in, rk, ROUNDS, &aes_ttable_encryption, 0); } \
    \
    void aes_##N##_block_decrypt(uint8_t *out, const uint8_t *in, const void *rk) \
    { cipher(out, in, rk, ROUNDS, &aes_ttable_decryption, 1); }

BLOCK_FUNCTIONS(128, 10)
BLOCK_FUNCTIONS(192, 12)
BLOCK_FUNCTIONS(256, 14)
