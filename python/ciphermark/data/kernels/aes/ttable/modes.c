/*
 * The modes over single blocks, a word at a time; unaligned buffers and CTR's partial block go byte by byte
 * (bytewise_modes.h). A block costs hundreds of instructions, so nothing is gained by keeping state across blocks.
 *
 * Contract: aes.h. NOT constant time (block.S).
 */
#include "bytewise_modes.h"

#define BLOCK_WORDS 4

/* Buffers of bytes read as words: aligned here, and of a type that may alias. */
typedef uint32_t __attribute__((may_alias)) word;

/* One copy for the three key sizes. */
#define SHARED static __attribute__((noinline))

static int aligned(const uint8_t *out, const uint8_t *in, const uint8_t *iv)
{
    return (((uintptr_t)out | (uintptr_t)in | (uintptr_t)iv) & (sizeof(word) - 1)) == 0;
}

SHARED void ecb(uint8_t *out, const uint8_t *in, size_t bytes, const void *rk, aes_block_function *block)
{
    for (const uint8_t *end = in + bytes; in != end; in += AES_BLOCK_BYTES, out += AES_BLOCK_BYTES)
        block(out, in, rk);
}

SHARED void cbc_encrypt(
    uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *iv, const void *rk, aes_block_function *block)
{
    const word *chained = (const word *)iv;
    for (const uint8_t *end = in + bytes; in != end; in += AES_BLOCK_BYTES, out += AES_BLOCK_BYTES) {
        const word *from = (const word *)in;
        word *to = (word *)out;
        for (int i = 0; i < BLOCK_WORDS; i++)
            to[i] = from[i] ^ chained[i];
        block(out, out, rk);
        chained = to;
    }
    for (int i = 0; i < BLOCK_WORDS; i++)
        ((word *)iv)[i] = chained[i];
}

SHARED void cbc_decrypt(
    uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *iv, const void *rk, aes_block_function *block)
{
    word *chained = (word *)iv;
    for (const uint8_t *end = in + bytes; in != end; in += AES_BLOCK_BYTES, out += AES_BLOCK_BYTES) {
        const word *from = (const word *)in;
        word *to = (word *)out;
        word ciphertext[BLOCK_WORDS];
        for (int i = 0; i < BLOCK_WORDS; i++)
            ciphertext[i] = from[i];
        block(out, in, rk);
        for (int i = 0; i < BLOCK_WORDS; i++) {
            to[i] ^= chained[i];
            chained[i] = ciphertext[i];
        }
    }
}

static void ctr_whole_blocks(
    uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *counter, const void *rk, aes_block_function *block)
{
    word keystream[BLOCK_WORDS];
    for (const uint8_t *end = in + bytes; in != end; in += AES_BLOCK_BYTES, out += AES_BLOCK_BYTES) {
        const word *from = (const word *)in;
        word *to = (word *)out;
        block((uint8_t *)keystream, counter, rk);
        for (int i = 0; i < BLOCK_WORDS; i++)
            to[i] = from[i] ^ keystream[i];
        for (size_t i = AES_BLOCK_BYTES; i-- != 0 && ++counter[i] == 0;)
            ;
    }
}

SHARED void ctr(
    uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *counter, const void *rk, aes_block_function *block)
{
    size_t partial = aligned(out, in, counter) ? bytes % AES_BLOCK_BYTES : bytes;
    size_t whole = bytes - partial;
    ctr_whole_blocks(out, in, whole, counter, rk, block);
    if (partial != 0)
        aes_bytewise_ctr(out + whole, in + whole, partial, counter, rk, block);
}

#define MODES(N) \
    AES_BYTEWISE_EXPAND(N) \
    AES_BYTEWISE_BLOCK(N) \
    \
    void aes_##N##_ecb_encrypt(uint8_t *out, const uint8_t *in, size_t bytes, const void *rk) \
    { ecb(out, in, bytes, rk, aes_##N##_block); } \
    \
    void aes_##N##_ecb_decrypt(uint8_t *out, const uint8_t *in, size_t bytes, const void *rk) \
    { ecb(out, in, bytes, rk, aes_##N##_block_decrypt); } \
    \
    void aes_##N##_cbc_encrypt(uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *iv, const void *rk) \
    { (aligned(out, in, iv) ? cbc_encrypt : aes_bytewise_cbc_encrypt)(out, in, bytes, iv, rk, aes_##N##_block); } \
    \
    void aes_##N##_cbc_decrypt(uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *iv, const void *rk) \
    { (aligned(out, in, iv) ? cbc_decrypt : aes_bytewise_cbc_decrypt)(out, in, bytes, iv, rk, \
        aes_##N##_block_decrypt); } \
    \
    void aes_##N##_ctr_encrypt(uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *counter, const void *rk) \
    { ctr(out, in, bytes, counter, rk, aes_##N##_block); }

MODES(128)
MODES(192)
MODES(256)
