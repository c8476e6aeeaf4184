/* Vectors of one block with AES-NI (Intel 64 manual, volume 1, 12.13), for vector_modes.h. Baseline: SSE4.1. */
#ifndef CIPHERMARK_AES_AESNI_VECTOR_H
#define CIPHERMARK_AES_AESNI_VECTOR_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t vector __attribute__((vector_size(16)));

enum { VECTOR_BLOCKS = 1 };

/* Sixteen registers: eight blocks in flight leave no room for eleven round keys. */
#define HOLD_ROUND_KEYS 0

static inline vector vector_of_round_key(const uint8_t *from)
{
    return (vector)_mm_load_si128((const __m128i *)from);
}

static inline vector vector_of_block(const uint8_t *from)
{
    return (vector)_mm_loadu_si128((const __m128i *)from);
}

static inline vector load_bytes(const uint8_t *from, size_t bytes)
{
    vector x = {0};
    __builtin_memcpy(&x, from, bytes);
    return x;
}

static inline void store_bytes(uint8_t *to, vector x, size_t bytes)
{
    __builtin_memcpy(to, &x, bytes);
}

static inline vector blocks_before(vector earlier, vector later)
{
    (void)later;
    return earlier;
}

static inline vector reversed_words(vector x)
{
    const __m128i order = _mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
    return (vector)_mm_shuffle_epi8((__m128i)x, order);
}

static inline vector encrypt_start(vector x, vector key)
{
    return x ^ key;
}

static inline vector encrypt_round(vector x, vector before, vector key)
{
    (void)before;
    return (vector)_mm_aesenc_si128((__m128i)x, (__m128i)key);
}

static inline vector encrypt_last(vector x, vector before, vector key)
{
    (void)before;
    return (vector)_mm_aesenclast_si128((__m128i)x, (__m128i)key);
}

static inline vector decrypt_start(vector x, vector key)
{
    return x ^ key;
}

static inline vector decrypt_round(vector x, vector before, vector key)
{
    (void)before;
    return (vector)_mm_aesdec_si128((__m128i)x, (__m128i)key);
}

static inline vector decrypt_last(vector x, vector before, vector key)
{
    (void)before;
    return (vector)_mm_aesdeclast_si128((__m128i)x, (__m128i)key);
}

#endif
