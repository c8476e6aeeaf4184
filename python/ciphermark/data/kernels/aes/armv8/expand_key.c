/*
 * Key expansion with the AArch64 cryptographic extension: AESE with a round key of zero is SubBytes and ShiftRows.
 * Contract and constant-time claim: vector_key_expansion.h.
 */
#include <arm_neon.h>

typedef uint32_t words __attribute__((vector_size(16)));

static inline words sub_words(words x, words added)
{
    return (words)vaeseq_u8((uint8x16_t)x, vdupq_n_u8(0)) ^ added;
}

static inline words inverse_mix_columns(words x)
{
    return (words)vaesimcq_u8((uint8x16_t)x);
}

#include "vector_key_expansion.h"

AES_VECTOR_KEY_EXPANSION(128, 10)
AES_VECTOR_KEY_EXPANSION(192, 12)
AES_VECTOR_KEY_EXPANSION(256, 14)
