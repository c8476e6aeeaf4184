/*
 * CBC encryption with the AArch64 cryptographic extension at the latency of its rounds and nothing else: each block
 * waits for the one before, so that only the chain counts.
 *
 * AESE adds its operand first. The last round key, the next plaintext and the first round key, added to one another
 * off the chain, are that operand of the next block's first round: no exclusive-or is on the chain.
 *
 * Contract: aes.h, any alignment. Constant time: no branch or address depends on key or data.
 */
#include "aes.h"
#include "vector.h"

static inline vector load(const uint8_t *from)
{
    return (vector)vld1q_u8(from);
}

static inline void store(uint8_t *to, vector x)
{
    vst1q_u8(to, (uint8x16_t)x);
}

/* Written out, for compilers know that AESE's operands may change places, and then move registers on the chain. */
static inline vector chained_round(vector x, vector added)
{
    __asm__("aese %0.16b, %1.16b\n\taesmc %0.16b, %0.16b" : "+w"(x) : "w"(added));
    return x;
}

static inline __attribute__((always_inline)) void cbc_encrypt(
    uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *iv, const uint8_t *rk, unsigned rounds)
{
    const vector zero = {0};
    vector key[15];
    if (bytes == 0)
        return;
#pragma GCC unroll 15
    for (unsigned i = 0; i <= rounds; i++)
        key[i] = vector_of_round_key(rk + AES_BLOCK_BYTES * i);

    const vector between = key[rounds] ^ key[0];
    const uint8_t *last = in + bytes - AES_BLOCK_BYTES;
    vector x = load(iv);
    vector first = key[0] ^ load(in);
    vector ciphertext;
    for (;;) {
        x = chained_round(x, first);
#pragma GCC unroll 13
        for (unsigned i = 2; i < rounds; i++)
            x = encrypt_round(x, key[i - 1], zero);
        x = encrypt_last(x, key[rounds - 1], zero);
        ciphertext = x ^ key[rounds];
        store(out, ciphertext);
        if (in == last)
            break;
        in += AES_BLOCK_BYTES;
        out += AES_BLOCK_BYTES;
        first = between ^ load(in);
    }
    store(iv, ciphertext);
}

#define CBC_ENCRYPT(N, ROUNDS) \
    void aes_##N##_cbc_encrypt(uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *iv, const void *rk) \
    { cbc_encrypt(out, in, bytes, iv, rk, ROUNDS); }

CBC_ENCRYPT(128, 10)
CBC_ENCRYPT(192, 12)
CBC_ENCRYPT(256, 14)
