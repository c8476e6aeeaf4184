/*
 * CBC encryption with AES-NI at the latency of its rounds and nothing else: each block waits for the one before, so
 * that only the chain counts.
 *
 * AESENCLAST adds its operand last. Given the last round key plus the next plaintext plus the first round key, it
 * leaves the next block ready for its first round: no exclusive-or is on the chain (40 cycles per block for AES-128 where
 * AESENC takes 4; the usual loop has 41). Both additions, and the ciphertext, are computed off the chain.
 *
 * Contract: aes.h, any alignment. Constant time: no branch or address depends on key or data.
 */
#include "aes.h"
#include "vector.h"

static inline vector load(const uint8_t *from)
{
    return (vector)_mm_loadu_si128((const __m128i *)from);
}

static inline void store(uint8_t *to, vector x)
{
    _mm_storeu_si128((__m128i *)to, (__m128i)x);
}

static inline __attribute__((always_inline)) void cbc_encrypt(
    uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *iv, const uint8_t *rk, unsigned rounds)
{
    vector key[15];
    if (bytes == 0)
        return;
#pragma GCC unroll 15
    for (unsigned i = 0; i <= rounds; i++)
        key[i] = vector_of_round_key(rk + AES_BLOCK_BYTES * i);

    const uint8_t *last = in + bytes - AES_BLOCK_BYTES;
    vector whitened = load(in) ^ key[0];
    __asm__("" : "+x"(whitened)); /* else compilers add the iv, which comes last, to one of the two */
    vector x = load(iv) ^ whitened;
    for (;;) {
#pragma GCC unroll 13
        for (unsigned i = 1; i < rounds; i++)
            x = encrypt_round(x, key[i - 1], key[i]);
        if (in == last)
            break;
        in += AES_BLOCK_BYTES;
        whitened = load(in) ^ key[0];
        x = encrypt_last(x, key[rounds - 1], key[rounds] ^ whitened);
        store(out, x ^ whitened);
        out += AES_BLOCK_BYTES;
    }
    x = encrypt_last(x, key[rounds - 1], key[rounds]);
    store(out, x);
    store(iv, x);
}

#define CBC_ENCRYPT(N, ROUNDS) \
    void aes_##N##_cbc_encrypt(uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *iv, const void *rk) \
    { cbc_encrypt(out, in, bytes, iv, rk, ROUNDS); }

CBC_ENCRYPT(128, 10)
CBC_ENCRYPT(192, 12)
CBC_ENCRYPT(256, 14)
