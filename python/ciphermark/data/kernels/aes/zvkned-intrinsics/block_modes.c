/* Single blocks, ECB and CBC. Contract: aes.h. Constant time in everything but lengths and addresses. */
#include "cipher.h"

#define ECB(cipher) \
    for (size_t words = bytes / 4, vl; words != 0; words -= vl, in += 4 * vl, out += 4 * vl) { \
        vl = __riscv_vsetvl_e32m4(words); \
        store(out, cipher(load(in, vl), rounds, vl, KEY_ARGUMENTS), vl); \
    }

INLINE void ecb_encrypt(uint8_t *out, const uint8_t *in, size_t bytes, int rounds, ROUND_KEYS)
{
    ECB(encrypt)
}

INLINE void ecb_decrypt(uint8_t *out, const uint8_t *in, size_t bytes, int rounds, ROUND_KEYS)
{
    ECB(decrypt)
}

INLINE void cbc_encrypt(uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *iv, int rounds, ROUND_KEYS)
{
    vuint32m4_t chain = load(iv, BLOCK_WORDS);
    for (const uint8_t *end = in + bytes; in != end; in += AES_BLOCK_BYTES, out += AES_BLOCK_BYTES) {
        chain = __riscv_vxor_vv_u32m4(chain, load(in, BLOCK_WORDS), BLOCK_WORDS);
        chain = encrypt(chain, rounds, BLOCK_WORDS, KEY_ARGUMENTS);
        store(out, chain, BLOCK_WORDS);
    }
    store(iv, chain, BLOCK_WORDS);
}

/*
 * From the end: the ciphertext that blocks are chained to has then not been overwritten when deciphering in place. The
 * blocks at the beginning, up to a group of them, come last and are chained to the iv.
 */
INLINE void cbc_decrypt(uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *iv, int rounds, ROUND_KEYS)
{
    if (bytes == 0)
        return;
    vuint32m4_t before = load(iv, BLOCK_WORDS);
    store(iv, load(in + bytes - AES_BLOCK_BYTES, BLOCK_WORDS), BLOCK_WORDS);

    size_t group = 4 * __riscv_vsetvlmax_e32m4();
    size_t at = bytes;
    for (; at > group; at -= group) {
        const uint8_t *from = in + at - group;
        vuint32m4_t x = decrypt(load(from, group / 4), rounds, group / 4, KEY_ARGUMENTS);
        x = __riscv_vxor_vv_u32m4(x, load(from - AES_BLOCK_BYTES, group / 4), group / 4);
        store(out + at - group, x, group / 4);
    }
    vuint32m4_t x = load(in, at / 4);
    before = __riscv_vslideup_vx_u32m4(before, x, BLOCK_WORDS, at / 4);
    x = decrypt(x, rounds, at / 4, KEY_ARGUMENTS);
    store(out, __riscv_vxor_vv_u32m4(x, before, at / 4), at / 4);
}

#define MODES(N, ROUNDS) \
    void aes_##N##_block(uint8_t *out, const uint8_t *in, const void *rk) \
    { \
        store(out, encrypt(load(in, BLOCK_WORDS), ROUNDS, BLOCK_WORDS, LOADED_ROUND_KEYS((const uint32_t *)rk)), \
            BLOCK_WORDS); \
    } \
    void aes_##N##_block_decrypt(uint8_t *out, const uint8_t *in, const void *rk) \
    { \
        store(out, decrypt(load(in, BLOCK_WORDS), ROUNDS, BLOCK_WORDS, LOADED_ROUND_KEYS((const uint32_t *)rk)), \
            BLOCK_WORDS); \
    } \
    void aes_##N##_ecb_encrypt(uint8_t *out, const uint8_t *in, size_t bytes, const void *rk) \
    { ecb_encrypt(out, in, bytes, ROUNDS, LOADED_ROUND_KEYS((const uint32_t *)rk)); } \
    void aes_##N##_ecb_decrypt(uint8_t *out, const uint8_t *in, size_t bytes, const void *rk) \
    { ecb_decrypt(out, in, bytes, ROUNDS, LOADED_ROUND_KEYS((const uint32_t *)rk)); } \
    void aes_##N##_cbc_encrypt(uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *iv, const void *rk) \
    { cbc_encrypt(out, in, bytes, iv, ROUNDS, LOADED_ROUND_KEYS((const uint32_t *)rk)); } \
    void aes_##N##_cbc_decrypt(uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *iv, const void *rk) \
    { cbc_decrypt(out, in, bytes, iv, ROUNDS, LOADED_ROUND_KEYS((const uint32_t *)rk)); }

MODES(128, 10)
MODES(192, 12)
MODES(256, 14)
