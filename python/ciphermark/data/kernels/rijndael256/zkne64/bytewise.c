/*
 * Keys and buffers that are not aligned to words: copied byte by byte, so that the assembly needs no second path.
 * Constant time in everything but lengths and addresses.
 */
#include "paired_columns.h"
#include "rijndael.h"

#define KEY_BYTES 32
#define ALIGNED __attribute__((aligned(8)))

static inline void copy(uint8_t *to, const uint8_t *from)
{
    for (int i = 0; i < BLOCK_BYTES; i++)
        to[i] = from[i];
}

#define EXPAND(name) \
    void name##_bytewise(void *rk, const uint8_t *key) \
    { \
        uint8_t aligned[KEY_BYTES] ALIGNED; \
        copy(aligned, key); \
        name(rk, aligned); \
    }

#define ECB(name, block) \
    void name##_bytewise(uint8_t *out, const uint8_t *in, size_t bytes, const void *rk) \
    { \
        for (const uint8_t *end = in + bytes; in != end; in += BLOCK_BYTES, out += BLOCK_BYTES) { \
            uint8_t aligned[BLOCK_BYTES] ALIGNED; \
            copy(aligned, in); \
            block(aligned, aligned, rk); \
            copy(out, aligned); \
        } \
    }

EXPAND(rijndael_256_256_expand_key)
EXPAND(rijndael_256_256_expand_key_decrypt)
ECB(rijndael_256_256_ecb_encrypt, rijndael_256_256_block)
ECB(rijndael_256_256_ecb_decrypt, rijndael_256_256_block_decrypt)
