/*
 * Rijndael one byte at a time, for every size of block and key, as its authors write it.
 *
 * Source: Daemen and Rijmen, The Design of Rijndael, chapter 3. Schedule: the expanded key, for both directions.
 * Not constant time: S-box indices are secret, so a data cache shows them.
 */
#ifndef CIPHERMARK_RIJNDAEL_CIPHER_H
#define CIPHERMARK_RIJNDAEL_CIPHER_H

#include "rijndael.h"

#define ROWS 4
#define MAX_COLUMNS 8

extern const uint8_t rijndael_sbox[256];
extern const uint8_t rijndael_inverse_sbox[256];

/* Column by column, which is the order of input, output and round keys: row r of column c at 4c + r. */
typedef uint8_t state_t[ROWS * MAX_COLUMNS];

/* Columns of the block (Nb) and of the key (Nk), the number of rounds (Nr), 3.5, and bytes of the expanded key. */
struct sizes {
    unsigned block_columns;
    unsigned key_columns;
    unsigned rounds;
    unsigned schedule_bytes; /* given, because the base ISA has no multiplier */
};

/* Twice `x` in GF(2^8), 2.1.7; a mask instead of a product, since the base ISA has no multiplier. */
static inline uint8_t xtime(uint8_t x)
{
    return (uint8_t)((x << 1) ^ (-(x >> 7) & 0x1b));
}

void KeyExpansion(uint8_t *round_keys, const uint8_t *key, struct sizes sizes);

/* One block; `in` and `out` may be the same. */
void Rijndael(uint8_t *out, const uint8_t *in, const uint8_t *round_keys, struct sizes sizes);
void InvRijndael(uint8_t *out, const uint8_t *in, const uint8_t *round_keys, struct sizes sizes);

#endif
