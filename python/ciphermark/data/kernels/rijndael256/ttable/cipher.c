/*
 * Rijndael, block and key of 256 bits, by table look-up. Decryption is the equivalent inverse cipher (The Design of
 * Rijndael, 3.7.3): the same walk over a schedule stored last round first.
 *
 * Contract: rijndael.h. NOT constant time: the addresses of the look-ups depend on key and data, and caches tell them
 * apart.
 */
#include "rijndael256.h"
#include "tables.h"

/* ShiftRows by 0, 1, 3, 4 (table 3.1); InvShiftRows the other way. */
#define FORWARD(j, offset) (((j) + (offset)) % COLUMNS)
#define BACKWARD(j, offset) (((j) + COLUMNS - (offset)) % COLUMNS)

#define ROUND_COLUMN(y, x, rk, j, from) \
    y[j] = t->column[0][x[j] & 0xff] ^ t->column[1][x[from(j, 1)] >> 8 & 0xff] \
        ^ t->column[2][x[from(j, 3)] >> 16 & 0xff] ^ t->column[3][x[from(j, 4)] >> 24] ^ (rk)[j]

#define LAST_COLUMN(y, x, rk, j, from) \
    y[j] = (t->sbox[x[j] & 0xff] | (uint32_t)t->sbox[x[from(j, 1)] >> 8 & 0xff] << 8 \
        | (uint32_t)t->sbox[x[from(j, 3)] >> 16 & 0xff] << 16 | (uint32_t)t->sbox[x[from(j, 4)] >> 24] << 24) ^ (rk)[j]

#define EACH_COLUMN(one, y, x, rk, from) \
    one(y, x, rk, 0, from); one(y, x, rk, 1, from); one(y, x, rk, 2, from); one(y, x, rk, 3, from); \
    one(y, x, rk, 4, from); one(y, x, rk, 5, from); one(y, x, rk, 6, from); one(y, x, rk, 7, from)

/* Rounds go in pairs, between x and y; the last pair ends without MixColumns. */
#define CIPHER(name, table, from) \
    static void name(uint32_t x[COLUMNS], const uint32_t *rk) \
    { \
        const struct ttable *t = &(table); \
        const uint32_t *last = rk + COLUMNS * ROUNDS; \
        uint32_t y[COLUMNS]; \
        for (int j = 0; j < COLUMNS; j++) \
            x[j] ^= rk[j]; \
        for (;;) { \
            EACH_COLUMN(ROUND_COLUMN, y, x, rk + COLUMNS, from); \
            rk += 2 * COLUMNS; \
            if (rk == last) \
                break; \
            EACH_COLUMN(ROUND_COLUMN, x, y, rk, from); \
        } \
        EACH_COLUMN(LAST_COLUMN, x, y, rk, from); \
    }

CIPHER(encrypt, rijndael_ttable_encryption, FORWARD)
CIPHER(decrypt, rijndael_ttable_decryption, BACKWARD)

#define BLOCKS(cipher) \
    int aligned = (((uintptr_t)out | (uintptr_t)in) & (sizeof(column) - 1)) == 0; \
    for (const uint8_t *end = in + bytes; in != end; in += BLOCK_BYTES, out += BLOCK_BYTES) { \
        uint32_t x[COLUMNS]; \
        for (int j = 0; j < COLUMNS; j++) \
            x[j] = aligned ? ((const column *)in)[j] : load_column(in + 4 * j); \
        cipher(x, rk); \
        for (int j = 0; j < COLUMNS; j++) { \
            if (aligned) \
                ((column *)out)[j] = x[j]; \
            else \
                store_column(out + 4 * j, x[j]); \
        } \
    }

void rijndael_256_256_ecb_encrypt(uint8_t *out, const uint8_t *in, size_t bytes, const void *rk)
{
    BLOCKS(encrypt)
}

void rijndael_256_256_ecb_decrypt(uint8_t *out, const uint8_t *in, size_t bytes, const void *rk)
{
    BLOCKS(decrypt)
}

void rijndael_256_256_block(uint8_t *out, const uint8_t *in, const void *rk)
{
    rijndael_256_256_ecb_encrypt(out, in, BLOCK_BYTES, rk);
}

void rijndael_256_256_block_decrypt(uint8_t *out, const uint8_t *in, const void *rk)
{
    rijndael_256_256_ecb_decrypt(out, in, BLOCK_BYTES, rk);
}
