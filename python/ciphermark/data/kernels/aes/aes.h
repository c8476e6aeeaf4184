/*
 * AES (FIPS 197): the calls every implementation in this family provides, whatever its technique.
 *
 * Contract
 *   schedule   1024 bytes, 64-byte aligned, layout private to the implementation. One written by
 *              `expand_key` serves encryption and CTR; one written by `expand_key_decrypt` serves decryption.
 *   out, in    may be equal (in place) and may be unaligned; otherwise they do not overlap. (An implementation with the
 *              limit `aligned_block` wants words aligned in `block` and `block_decrypt`, and nowhere else.)
 *   bytes      ECB and CBC: a multiple of 16. CTR: any length. Zero is allowed and changes nothing.
 *   iv         CBC: 16 bytes, left as the last ciphertext block so that calls chain.
 *   counter    CTR: 16 bytes, a 128-bit big-endian integer, left advanced by one for every block that was
 *              started: a partial last block consumes a whole counter. CTR decrypts with the same function.
 *
 * No implementation may need M (multiply, divide) or a compiler's run-time library; `memcpy`, `memmove`,
 * `memset` and `memcmp` come from the harness.
 */
#ifndef CIPHERMARK_AES_H
#define CIPHERMARK_AES_H

#include <stddef.h>
#include <stdint.h>

#define AES_BLOCK_BYTES 16
#define AES_SCHEDULE_BYTES 1024

#define AES_DECLARE(N) \
    void aes_##N##_expand_key(void *rk, const uint8_t *key); \
    void aes_##N##_expand_key_decrypt(void *rk, const uint8_t *key); \
    void aes_##N##_block(uint8_t *out, const uint8_t *in, const void *rk); \
    void aes_##N##_block_decrypt(uint8_t *out, const uint8_t *in, const void *rk); \
    void aes_##N##_ecb_encrypt(uint8_t *out, const uint8_t *in, size_t bytes, const void *rk); \
    void aes_##N##_ecb_decrypt(uint8_t *out, const uint8_t *in, size_t bytes, const void *rk); \
    void aes_##N##_cbc_encrypt(uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *iv, const void *rk); \
    void aes_##N##_cbc_decrypt(uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *iv, const void *rk); \
    void aes_##N##_ctr_encrypt(uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *counter, const void *rk);

AES_DECLARE(128)
AES_DECLARE(192)
AES_DECLARE(256)

#endif
