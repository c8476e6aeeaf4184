/*
 * Fixsliced AES in portable C for 32-bit words (two blocks per pass) and 64-bit words (four blocks per pass).
 *
 * Source of the idea: A. Adomnicai and T. Peyrin, Fixslicing AES-like Ciphers, TCHES 2021(1), the fully fixsliced
 * variant: no ShiftRows at all, four forms of MixColumns instead. The two widths differ in `word` alone (word.h).
 * Schedule: `rounds + 1` round keys of eight words (at most 960 bytes), bitsliced like the state, round r's with r
 * ShiftRows undone and, for r > 0, the S-box's constant 0x63 added. The same schedule serves both directions.
 * Constant time: no table, no branch and no address depends on key or data; lengths are public.
 */
#ifndef CIPHERMARK_AES_FIXSLICE_CIPHER_H
#define CIPHERMARK_AES_FIXSLICE_CIPHER_H

#include "word.h"

/* Nk is the key's length in 32-bit words. */
void expand_key(word *round_keys, const uint8_t *key, unsigned Nk);

/* One pass over `blocks` blocks, 1 to BLOCKS; `in` and `out` may be the same. `rounds` is 10, 12 or 14. */
void encrypt_blocks(uint8_t *out, const uint8_t *in, size_t blocks, const word *round_keys, unsigned rounds);
void decrypt_blocks(uint8_t *out, const uint8_t *in, size_t blocks, const word *round_keys, unsigned rounds);

#endif
