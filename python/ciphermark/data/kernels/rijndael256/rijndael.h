/*
 * Rijndael with blocks and keys of 128 to 256 bits in steps of 32 (Daemen and Rijmen, The Design of Rijndael, chapter
 * 3; AES is its block of 128 bits): the calls every implementation in this family provides for the sizes it offers.
 * The family is named after the size that is being standardised, block and key of 256 bits.
 *
 * Contract
 *   schedule   1024 bytes, 64-byte aligned, layout private to the implementation. One written by `expand_key`
 *              serves encryption; one written by `expand_key_decrypt` serves decryption.
 *   out, in    may be equal (in place) and may be unaligned; otherwise they do not overlap.
 *   bytes      ECB: a multiple of the block. Zero is allowed and changes nothing.
 *
 * No implementation may need M (multiply, divide) or a compiler's run-time library; `memcpy`, `memmove`,
 * `memset` and `memcmp` come from the harness.
 */
#ifndef CIPHERMARK_RIJNDAEL_H
#define CIPHERMARK_RIJNDAEL_H

#include <stddef.h>
#include <stdint.h>

#define RIJNDAEL_SCHEDULE_BYTES 1024

/* Bits of block and key. */
#define RIJNDAEL_DECLARE(B, K) \
    void rijndael_##B##_##K##_expand_key(void *rk, const uint8_t *key); \
    void rijndael_##B##_##K##_expand_key_decrypt(void *rk, const uint8_t *key); \
    void rijndael_##B##_##K##_block(uint8_t *out, const uint8_t *in, const void *rk); \
    void rijndael_##B##_##K##_block_decrypt(uint8_t *out, const uint8_t *in, const void *rk); \
    void rijndael_##B##_##K##_ecb_encrypt(uint8_t *out, const uint8_t *in, size_t bytes, const void *rk); \
    void rijndael_##B##_##K##_ecb_decrypt(uint8_t *out, const uint8_t *in, size_t bytes, const void *rk);

/* Every size: one(block bits, key bits). */
#define RIJNDAEL_KEY_SIZES(one, B) one(B, 128) one(B, 160) one(B, 192) one(B, 224) one(B, 256)
#define RIJNDAEL_SIZES(one) \
    RIJNDAEL_KEY_SIZES(one, 128) RIJNDAEL_KEY_SIZES(one, 160) RIJNDAEL_KEY_SIZES(one, 192) \
    RIJNDAEL_KEY_SIZES(one, 224) RIJNDAEL_KEY_SIZES(one, 256)

RIJNDAEL_SIZES(RIJNDAEL_DECLARE)

#endif
