/* Vectors of four blocks with VAES and AVX-512 (Intel 64 manual, volume 1, 15), for vector_modes.h. */
#ifndef CIPHERMARK_AES_VAES512_VECTOR_H
#define CIPHERMARK_AES_VAES512_VECTOR_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t vector __attribute__((vector_size(64)));

enum { VECTOR_BLOCKS = 4 };

/* Thirty-two registers: fifteen round keys, eight vectors in flight, and room. */
#define HOLD_ROUND_KEYS 1

static inline vector vector_of_block(const uint8_t *from)
{
    return (vector)_mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)from));
}

static inline vector vector_of_round_key(const uint8_t *from)
{
    return vector_of_block(from);
}

/* `bytes` is 1 to 64. Bytes that are masked off are neither read nor written, even across the end of a page. */
static inline __mmask64 first_bytes(size_t bytes)
{
    return ~(__mmask64)0 >> (64 - bytes);
}

static inline vector load_bytes(const uint8_t *from, size_t bytes)
{
    return (vector)_mm512_maskz_loadu_epi8(first_bytes(bytes), from);
}

static inline void store_bytes(uint8_t *to, vector x, size_t bytes)
{
    _mm512_mask_storeu_epi8(to, first_bytes(bytes), (__m512i)x);
}

static inline vector blocks_before(vector earlier, vector later)
{
    return __builtin_shufflevector(earlier, later, 6, 7, 8, 9, 10, 11, 12, 13);
}

static inline vector reversed_words(vector x)
{
    const __m512i order = _mm512_broadcast_i32x4(
        _mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
    return (vector)_mm512_shuffle_epi8((__m512i)x, order);
}

static inline vector encrypt_start(vector x, vector key)
{
    return x ^ key;
}

static inline vector encrypt_round(vector x, vector before, vector key)
{
    (void)before;
    return (vector)_mm512_aesenc_epi128((__m512i)x, (__m512i)key);
}

static inline vector encrypt_last(vector x, vector before, vector key)
{
    (void)before;
    return (vector)_mm512_aesenclast_epi128((__m512i)x, (__m512i)key);
}

static inline vector decrypt_start(vector x, vector key)
{
    return x ^ key;
}

static inline vector decrypt_round(vector x, vector before, vector key)
{
    (void)before;
    return (vector)_mm512_aesdec_epi128((__m512i)x, (__m512i)key);
}

static inline vector decrypt_last(vector x, vector before, vector key)
{
    (void)before;
    return (vector)_mm512_aesdeclast_epi128((__m512i)x, (__m512i)key);
}

#endif
