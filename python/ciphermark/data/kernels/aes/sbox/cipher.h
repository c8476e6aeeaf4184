/*
 * AES one byte at a time: the algorithm as FIPS 197 writes it, with the S-box and its inverse as the only tables.
 *
 * Source of the idea: FIPS 197, 5.1 to 5.3; the shape of small portable libraries for microcontrollers.
 * Schedule: the expanded key of FIPS 197, 5.2, `16 * (rounds + 1)` bytes, the same for both directions.
 * Not constant time: S-box indices are secret, so a data cache shows them.
 */
#ifndef CIPHERMARK_AES_SBOX_CIPHER_H
#define CIPHERMARK_AES_SBOX_CIPHER_H

#include <stddef.h>
#include <stdint.h>

#include "aes.h"

extern const uint8_t aes_sbox[256];
extern const uint8_t aes_inverse_sbox[256];

/* The state of FIPS 197, 3.4, column by column: byte r of column c is `state[4 * c + r]`, which is input order. */
typedef uint8_t state_t[AES_BLOCK_BYTES];

/* Twice `x` in GF(2^8), FIPS 197, 4.2; a mask instead of a product, since the base ISA has no multiplier. */
static inline uint8_t xtime(uint8_t x)
{
    return (uint8_t)((x << 1) ^ (-(x >> 7) & 0x1b));
}

static inline void AddRoundKey(state_t state, const uint8_t *round_key)
{
    for (unsigned i = 0; i < AES_BLOCK_BYTES; i++)
        state[i] ^= round_key[i];
}

/* MixColumns, FIPS 197, 5.1.3. Never inlined, so that its disassembly can be compared between targets. */
void MixColumns(state_t state);

/* Nk is the key's length in 32-bit words; writes `16 * (Nk + 7)` bytes. */
void KeyExpansion(uint8_t *round_keys, const uint8_t *key, unsigned Nk);

/* One block; `in` and `out` may be the same. `rounds` is Nr: 10, 12 or 14. */
void Cipher(uint8_t *out, const uint8_t *in, const uint8_t *round_keys, unsigned rounds);
void InvCipher(uint8_t *out, const uint8_t *in, const uint8_t *round_keys, unsigned rounds);

#endif
