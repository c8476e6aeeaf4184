/*
 * One block with the AArch64 cryptographic extension. Contract: aes.h, any alignment. Constant time: no branch or
 * address depends on key or data.
 */
#include "vector.h"

#include "vector_modes.h"

#define BLOCK_FUNCTIONS(N, ROUNDS) \
    void aes_##N##_block(uint8_t *out, const uint8_t *in, const void *rk) \
    { \
        const round_keys keys = take_round_keys(rk, ROUNDS); \
        ecb_pass(out, in, 1, &keys, ROUNDS, ENCRYPT); \
    } \
    \
    void aes_##N##_block_decrypt(uint8_t *out, const uint8_t *in, const void *rk) \
    { \
        const round_keys keys = take_round_keys(rk, ROUNDS); \
        ecb_pass(out, in, 1, &keys, ROUNDS, DECRYPT); \
    }

BLOCK_FUNCTIONS(128, 10)
BLOCK_FUNCTIONS(192, 12)
BLOCK_FUNCTIONS(256, 14)
