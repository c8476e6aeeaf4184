/*
 * The modes over single blocks, one byte at a time: what an assembly implementation falls back on for buffers
 * that are not aligned and for the partial block at the end of CTR. One C file of the implementation instantiates the
 * macros at the end for each key size; the assembly then tail-calls `aes_N_*_bytewise` with its own arguments
 * unchanged.
 *
 * Contract: as aes.h, for pointers of any alignment. `aes_N_block` and `aes_N_block_decrypt` are only ever given
 * aligned buffers, and so are `aes_N_expand_key` and `aes_N_expand_key_decrypt`.
 * Constant time: as the block functions; no branch or address depends on data, except that the carry out of a
 * counter byte (a public value) is propagated by a loop.
 */
#ifndef CIPHERMARK_AES_BYTEWISE_MODES_H
#define CIPHERMARK_AES_BYTEWISE_MODES_H

#include "aes.h"

typedef void aes_block_function(uint8_t *out, const uint8_t *in, const void *rk);
typedef void aes_expand_function(void *rk, const uint8_t *key);

typedef struct {
    _Alignas(8) uint8_t bytes[AES_BLOCK_BYTES];
} aes_aligned_block;

/* One copy for the three key sizes: this is the slow path, and its code should be small. */
#define AES_BYTEWISE static __attribute__((noinline, unused))

static inline void aes_copy(uint8_t *out, const uint8_t *in, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        out[i] = in[i];
}

AES_BYTEWISE void aes_bytewise_expand(void *rk, const uint8_t *key, size_t bytes, aes_expand_function *expand)
{
    _Alignas(8) uint8_t aligned[32];
    aes_copy(aligned, key, bytes);
    expand(rk, aligned);
}

AES_BYTEWISE void aes_bytewise_ecb(
    uint8_t *out, const uint8_t *in, size_t bytes, const void *rk, aes_block_function *block)
{
    aes_aligned_block x;
    for (; bytes != 0; bytes -= AES_BLOCK_BYTES, in += AES_BLOCK_BYTES, out += AES_BLOCK_BYTES) {
        aes_copy(x.bytes, in, AES_BLOCK_BYTES);
        block(x.bytes, x.bytes, rk);
        aes_copy(out, x.bytes, AES_BLOCK_BYTES);
    }
}

AES_BYTEWISE void aes_bytewise_cbc_encrypt(
    uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *iv, const void *rk, aes_block_function *block)
{
    aes_aligned_block x;
    aes_copy(x.bytes, iv, AES_BLOCK_BYTES);
    for (; bytes != 0; bytes -= AES_BLOCK_BYTES, in += AES_BLOCK_BYTES, out += AES_BLOCK_BYTES) {
        for (size_t i = 0; i < AES_BLOCK_BYTES; i++)
            x.bytes[i] ^= in[i];
        block(x.bytes, x.bytes, rk);
        aes_copy(out, x.bytes, AES_BLOCK_BYTES);
    }
    aes_copy(iv, x.bytes, AES_BLOCK_BYTES);
}

AES_BYTEWISE void aes_bytewise_cbc_decrypt(
    uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *iv, const void *rk, aes_block_function *block)
{
    aes_aligned_block ciphertext, plaintext;
    for (; bytes != 0; bytes -= AES_BLOCK_BYTES, in += AES_BLOCK_BYTES, out += AES_BLOCK_BYTES) {
        aes_copy(ciphertext.bytes, in, AES_BLOCK_BYTES);
        block(plaintext.bytes, ciphertext.bytes, rk);
        for (size_t i = 0; i < AES_BLOCK_BYTES; i++) {
            out[i] = plaintext.bytes[i] ^ iv[i];
            iv[i] = ciphertext.bytes[i];
        }
    }
}

AES_BYTEWISE void aes_bytewise_ctr(
    uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *counter, const void *rk, aes_block_function *block)
{
    aes_aligned_block next, keystream;
    aes_copy(next.bytes, counter, AES_BLOCK_BYTES);
    while (bytes != 0) {
        size_t taken = bytes < AES_BLOCK_BYTES ? bytes : AES_BLOCK_BYTES;
        block(keystream.bytes, next.bytes, rk);
        for (size_t i = 0; i < taken; i++)
            out[i] = in[i] ^ keystream.bytes[i];
        for (size_t i = AES_BLOCK_BYTES; i-- != 0 && ++next.bytes[i] == 0;)
            ;
        bytes -= taken;
        in += taken;
        out += taken;
    }
    aes_copy(counter, next.bytes, AES_BLOCK_BYTES);
}

/* Functions that only assembly calls: declared so that compilers do not ask for a prototype. */
#define AES_BYTEWISE_EXPAND(N) \
    void aes_##N##_expand_key_bytewise(void *rk, const uint8_t *key); \
    void aes_##N##_expand_key_bytewise(void *rk, const uint8_t *key) \
    { aes_bytewise_expand(rk, key, N / 8, aes_##N##_expand_key); } \
    \
    void aes_##N##_expand_key_decrypt_bytewise(void *rk, const uint8_t *key); \
    void aes_##N##_expand_key_decrypt_bytewise(void *rk, const uint8_t *key) \
    { aes_bytewise_expand(rk, key, N / 8, aes_##N##_expand_key_decrypt); }

#define AES_BYTEWISE_BLOCK(N) \
    void aes_##N##_block_bytewise(uint8_t *out, const uint8_t *in, const void *rk); \
    void aes_##N##_block_bytewise(uint8_t *out, const uint8_t *in, const void *rk) \
    { aes_bytewise_ecb(out, in, AES_BLOCK_BYTES, rk, aes_##N##_block); } \
    \
    void aes_##N##_block_decrypt_bytewise(uint8_t *out, const uint8_t *in, const void *rk); \
    void aes_##N##_block_decrypt_bytewise(uint8_t *out, const uint8_t *in, const void *rk) \
    { aes_bytewise_ecb(out, in, AES_BLOCK_BYTES, rk, aes_##N##_block_decrypt); }

#define AES_BYTEWISE_MODES(N) \
    void aes_##N##_ecb_encrypt_bytewise(uint8_t *out, const uint8_t *in, size_t bytes, const void *rk); \
    void aes_##N##_ecb_encrypt_bytewise(uint8_t *out, const uint8_t *in, size_t bytes, const void *rk) \
    { aes_bytewise_ecb(out, in, bytes, rk, aes_##N##_block); } \
    \
    void aes_##N##_ecb_decrypt_bytewise(uint8_t *out, const uint8_t *in, size_t bytes, const void *rk); \
    void aes_##N##_ecb_decrypt_bytewise(uint8_t *out, const uint8_t *in, size_t bytes, const void *rk) \
    { aes_bytewise_ecb(out, in, bytes, rk, aes_##N##_block_decrypt); } \
    \
    void aes_##N##_cbc_encrypt_bytewise( \
        uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *iv, const void *rk); \
    void aes_##N##_cbc_encrypt_bytewise( \
        uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *iv, const void *rk) \
    { aes_bytewise_cbc_encrypt(out, in, bytes, iv, rk, aes_##N##_block); } \
    \
    void aes_##N##_cbc_decrypt_bytewise( \
        uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *iv, const void *rk); \
    void aes_##N##_cbc_decrypt_bytewise( \
        uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *iv, const void *rk) \
    { aes_bytewise_cbc_decrypt(out, in, bytes, iv, rk, aes_##N##_block_decrypt); } \
    \
    void aes_##N##_ctr_encrypt_bytewise( \
        uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *counter, const void *rk); \
    void aes_##N##_ctr_encrypt_bytewise( \
        uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *counter, const void *rk) \
    { aes_bytewise_ctr(out, in, bytes, counter, rk, aes_##N##_block); }

#endif
