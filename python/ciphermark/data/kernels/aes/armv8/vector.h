/*
 * Vectors of one block with the AArch64 cryptographic extension (Arm Architecture Reference Manual, C7.2, FEAT_AES), for
 * vector_modes.h. AESE adds the round key first and is followed at once by AESMC on its result, a pair that cores fuse.
 */
#ifndef CIPHERMARK_AES_ARMV8_VECTOR_H
#define CIPHERMARK_AES_ARMV8_VECTOR_H

#include <arm_neon.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t vector __attribute__((vector_size(16)));

enum { VECTOR_BLOCKS = 1 };

/* Thirty-two registers: fifteen round keys, eight blocks in flight, and room. */
#define HOLD_ROUND_KEYS 1

static inline vector vector_of_block(const uint8_t *from)
{
    return (vector)vld1q_u8(from);
}

static inline vector vector_of_round_key(const uint8_t *from)
{
    return vector_of_block(from);
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
    return (vector)vrev64q_u8((uint8x16_t)x);
}

static inline vector encrypt_start(vector x, vector key)
{
    (void)key;
    return x;
}

static inline vector encrypt_round(vector x, vector before, vector key)
{
    (void)key;
    return (vector)vaesmcq_u8(vaeseq_u8((uint8x16_t)x, (uint8x16_t)before));
}

static inline vector encrypt_last(vector x, vector before, vector key)
{
    return (vector)vaeseq_u8((uint8x16_t)x, (uint8x16_t)before) ^ key;
}

static inline vector decrypt_start(vector x, vector key)
{
    (void)key;
    return x;
}

static inline vector decrypt_round(vector x, vector before, vector key)
{
    (void)key;
    return (vector)vaesimcq_u8(vaesdq_u8((uint8x16_t)x, (uint8x16_t)before));
}

static inline vector decrypt_last(vector x, vector before, vector key)
{
    return (vector)vaesdq_u8((uint8x16_t)x, (uint8x16_t)before) ^ key;
}

#endif
