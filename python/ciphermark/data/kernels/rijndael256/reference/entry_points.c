/* The functions of rijndael.h, one set for each size of block and key. */
#include "cipher.h"

typedef void block_function(uint8_t *out, const uint8_t *in, const uint8_t *round_keys, struct sizes sizes);

static void ecb(
    uint8_t *out, const uint8_t *in, size_t bytes, const uint8_t *round_keys, struct sizes sizes, block_function *block)
{
    size_t step = ROWS * sizes.block_columns;
    for (const uint8_t *end = in + bytes; in != end; in += step, out += step)
        block(out, in, round_keys, sizes);
}

/* Six rounds more than the longer of block and key has columns: The Design of Rijndael, table 3.2. */
#define ROUNDS(B, K) (((B) > (K) ? (B) : (K)) / 32 + 6)
#define SIZES(B, K) ((struct sizes){(B) / 32, (K) / 32, ROUNDS(B, K), (B) / 8 * (ROUNDS(B, K) + 1)})

#define ENTRY_POINTS(B, K) \
    void rijndael_##B##_##K##_expand_key(void *rk, const uint8_t *key) { KeyExpansion(rk, key, SIZES(B, K)); } \
    void rijndael_##B##_##K##_expand_key_decrypt(void *rk, const uint8_t *key) \
    { KeyExpansion(rk, key, SIZES(B, K)); } \
    void rijndael_##B##_##K##_block(uint8_t *out, const uint8_t *in, const void *rk) \
    { Rijndael(out, in, rk, SIZES(B, K)); } \
    void rijndael_##B##_##K##_block_decrypt(uint8_t *out, const uint8_t *in, const void *rk) \
    { InvRijndael(out, in, rk, SIZES(B, K)); } \
    void rijndael_##B##_##K##_ecb_encrypt(uint8_t *out, const uint8_t *in, size_t bytes, const void *rk) \
    { ecb(out, in, bytes, rk, SIZES(B, K), Rijndael); } \
    void rijndael_##B##_##K##_ecb_decrypt(uint8_t *out, const uint8_t *in, size_t bytes, const void *rk) \
    { ecb(out, in, bytes, rk, SIZES(B, K), InvRijndael); }

RIJNDAEL_SIZES(ENTRY_POINTS)
