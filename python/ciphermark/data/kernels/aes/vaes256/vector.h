/* Vectors of two blocks with VAES and AVX2 (Intel 64 manual, volume 1, 14.6), for vector_modes.h. */
#ifndef CIPHERMARK_AES_VAES256_VECTOR_H
#define CIPHERMARK_AES_VAES256_VECTOR_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t vector __attribute__((vector_size(32)));

enum { VECTOR_BLOCKS = 2 };

/* Sixteen registers: eight vectors in flight leave no room for eleven round keys. */
#define HOLD_ROUND_KEYS 0

static inline vector vector_of_block(const uint8_t *from)
{
    return (vector)_mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)from));
}

static inline vector vector_of_round_key(const uint8_t *from)
{
    return vector_of_block(from);
}

static inline __m128i load_part_of_block(const uint8_t *from, size_t bytes)
{
    __m128i x = {0};
    __builtin_memcpy(&x, from, bytes);
    return x;
}

static inline vector load_bytes(const uint8_t *from, size_t bytes)
{
    if (bytes < 16)
        return (vector)_mm256_zextsi128_si256(load_part_of_block(from, bytes));
    __m128i low = _mm_loadu_si128((const __m128i *)from);
    if (bytes == 16)
        return (vector)_mm256_zextsi128_si256(low);
    return (vector)_mm256_set_m128i(load_part_of_block(from + 16, bytes - 16), low);
}

static inline void store_bytes(uint8_t *to, vector x, size_t bytes)
{
    __m128i block = _mm256_castsi256_si128((__m256i)x);
    if (bytes >= 16) {
        _mm_storeu_si128((__m128i *)to, block);
        block = _mm256_extracti128_si256((__m256i)x, 1);
        bytes -= 16;
        to += 16;
    }
    if (bytes != 0)
        __builtin_memcpy(to, &block, bytes);
}

static inline vector blocks_before(vector earlier, vector later)
{
    return __builtin_shufflevector(earlier, later, 2, 3, 4, 5);
}

static inline vector reversed_words(vector x)
{
    const __m256i order = _mm256_broadcastsi128_si256(
        _mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
    return (vector)_mm256_shuffle_epi8((__m256i)x, order);
}

static inline vector encrypt_start(vector x, vector key)
{
    return x ^ key;
}

static inline vector encrypt_round(vector x, vector before, vector key)
{
    (void)before;
    return (vector)_mm256_aesenc_epi128((__m256i)x, (__m256i)key);
}

static inline vector encrypt_last(vector x, vector before, vector key)
{
    (void)before;
    return (vector)_mm256_aesenclast_epi128((__m256i)x, (__m256i)key);
}

static inline vector decrypt_start(vector x, vector key)
{
    return x ^ key;
}

static inline vector decrypt_round(vector x, vector before, vector key)
{
    (void)before;
    return (vector)_mm256_aesdec_epi128((__m256i)x, (__m256i)key);
}

static inline vector decrypt_last(vector x, vector before, vector key)
{
    (void)before;
    return (vector)_mm256_aesdeclast_epi128((__m256i)x, (__m256i)key);
}

#endif
