/*
 * Key expansion with AES-NI: AESENCLAST, which every processor runs at full speed, in place of AESKEYGENASSIST, which
 * many do in microcode. Contract and constant-time claim: vector_key_expansion.h.
 */
#include <immintrin.h>
#include <stdint.h>

typedef uint32_t words __attribute__((vector_size(16)));

static inline words sub_words(words x, words added)
{
    return (words)_mm_aesenclast_si128((__m128i)x, (__m128i)added);
}

static inline words inverse_mix_columns(words x)
{
    return (words)_mm_aesimc_si128((__m128i)x);
}

#include "vector_key_expansion.h"

AES_VECTOR_KEY_EXPANSION(128, 10)
AES_VECTOR_KEY_EXPANSION(192, 12)
AES_VECTOR_KEY_EXPANSION(256, 14)
