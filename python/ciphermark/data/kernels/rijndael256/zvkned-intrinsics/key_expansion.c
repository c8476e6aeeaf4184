/*
 * Key expansion of Rijndael with block and key of 256 bits by vaeskf2: AES-256's, continued to thirty halves.
 * Contract: rijndael.h; the key may be unaligned. Constant time: no branch or address depends on the key.
 */
#include <riscv_vector.h>

#include "rijndael.h"

#define HALF_WORDS 4
#define HALF_BYTES 16

static inline vuint32m1_t load_half(const uint8_t *key)
{
    return __riscv_vreinterpret_v_u8m1_u32m1(__riscv_vle8_v_u8m1(key, HALF_BYTES));
}

#define STORE(half) \
    __riscv_vse32_v_u32m1(rk, half, HALF_WORDS); \
    rk += HALF_WORDS

/* The immediate chooses a round constant, the next one up only that there is none. */
#define NEXT_KEY(round) \
    left = __riscv_vaeskf2_vi_u32m1(left, right, round, HALF_WORDS); \
    STORE(left); \
    right = __riscv_vaeskf2_vi_u32m1(right, left, (round) + 1, HALF_WORDS); \
    STORE(right)

/* Beyond the constants that vaeskf2 has: it adds its first, 1, and this the difference, to word 0. */
#define NEXT_KEY_CONSTANT(constant) \
    left = __riscv_vxor_vv_u32m1(left, __riscv_vmv_s_x_u32m1_tu(zero, (constant) ^ 1, HALF_WORDS), HALF_WORDS); \
    NEXT_KEY(2)

void rijndael_256_256_expand_key(void *schedule, const uint8_t *key)
{
    uint32_t *rk = schedule;
    vuint32m1_t zero = __riscv_vmv_v_x_u32m1(0, HALF_WORDS);
    vuint32m1_t left = load_half(key), right = load_half(key + HALF_BYTES);

    STORE(left);
    STORE(right);
    NEXT_KEY(2);
    NEXT_KEY(4);
    NEXT_KEY(6);
    NEXT_KEY(8);
    NEXT_KEY(10);
    NEXT_KEY(12);
    NEXT_KEY(14);
    NEXT_KEY_CONSTANT(0x80);
    NEXT_KEY_CONSTANT(0x1b);
    NEXT_KEY_CONSTANT(0x36);
    NEXT_KEY_CONSTANT(0x6c);
    NEXT_KEY_CONSTANT(0xd8);
    NEXT_KEY_CONSTANT(0xab);
    NEXT_KEY_CONSTANT(0x4d);
}

void rijndael_256_256_expand_key_decrypt(void *rk, const uint8_t *key)
{
    rijndael_256_256_expand_key(rk, key);
}
