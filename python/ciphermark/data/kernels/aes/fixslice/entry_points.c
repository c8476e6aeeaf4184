/* The functions of aes.h, one set for each key size. */
#include "modes.h"

#define ENTRY_POINTS(N, NK, ROUNDS) \
    void aes_##N##_expand_key(void *rk, const uint8_t *key) { expand_key(rk, key, NK); } \
    void aes_##N##_expand_key_decrypt(void *rk, const uint8_t *key) { expand_key(rk, key, NK); } \
    void aes_##N##_block(uint8_t *out, const uint8_t *in, const void *rk) \
    { encrypt_blocks(out, in, 1, rk, ROUNDS); } \
    void aes_##N##_block_decrypt(uint8_t *out, const uint8_t *in, const void *rk) \
    { decrypt_blocks(out, in, 1, rk, ROUNDS); } \
    void aes_##N##_ecb_encrypt(uint8_t *out, const uint8_t *in, size_t bytes, const void *rk) \
    { ecb_encrypt(out, in, bytes, rk, ROUNDS); } \
    void aes_##N##_ecb_decrypt(uint8_t *out, const uint8_t *in, size_t bytes, const void *rk) \
    { ecb_decrypt(out, in, bytes, rk, ROUNDS); } \
    void aes_##N##_cbc_encrypt(uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *iv, const void *rk) \
    { cbc_encrypt(out, in, bytes, iv, rk, ROUNDS); } \
    void aes_##N##_cbc_decrypt(uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *iv, const void *rk) \
    { cbc_decrypt(out, in, bytes, iv, rk, ROUNDS); } \
    void aes_##N##_ctr_encrypt(uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *counter, const void *rk) \
    { ctr_encrypt(out, in, bytes, counter, rk, ROUNDS); }

ENTRY_POINTS(128, 4, 10)
ENTRY_POINTS(192, 6, 12)
ENTRY_POINTS(256, 8, 14)
