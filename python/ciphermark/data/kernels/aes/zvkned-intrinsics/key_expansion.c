/*
 * AES key expansion with vaeskf1 and vaeskf2. Contract: aes.h; the key may be unaligned.
 * Constant time: no branch or address depends on the key.
 */
#include "cipher.h"

static inline vuint32m1_t load_key(const uint8_t *key)
{
    return __riscv_vreinterpret_v_u8m1_u32m1(__riscv_vle8_v_u8m1(key, AES_BLOCK_BYTES));
}

static inline void put(uint32_t *rk, vuint32m1_t key)
{
    __riscv_vse32_v_u32m1(rk, key, BLOCK_WORDS);
}

#define NEXT_128(round) \
    key = __riscv_vaeskf1_vi_u32m1(key, round, BLOCK_WORDS); \
    put(rk += BLOCK_WORDS, key)

void aes_128_expand_key(void *schedule, const uint8_t *key_bytes)
{
    uint32_t *rk = schedule;
    vuint32m1_t key = load_key(key_bytes);

    put(rk, key);
    NEXT_128(1);
    NEXT_128(2);
    NEXT_128(3);
    NEXT_128(4);
    NEXT_128(5);
    NEXT_128(6);
    NEXT_128(7);
    NEXT_128(8);
    NEXT_128(9);
    NEXT_128(10);
}

/*
 * AES-192: for words a = w[0..3] and any register whose last word is w[5], vaeskf2 with an even round number gives the
 * next a. The other two words come from the overlapping window d = w[2..5], after its first has taken up w[0] + w[1],
 * which is w[1] of six words earlier. Windows are stored where they begin; words that two of them have are the same.
 */
#define NEXT_192(round) \
    sum = __riscv_vslidedown_vx_u32m1_mu(first, sum, before, 1, BLOCK_WORDS); \
    before = a; \
    a = __riscv_vaeskf2_vi_u32m1(a, d, round, BLOCK_WORDS); \
    d = __riscv_vaeskf2_vi_u32m1(__riscv_vxor_vv_u32m1(d, sum, BLOCK_WORDS), d, round, BLOCK_WORDS); \
    put(rk += 6, a); \
    put(rk + 2, d)

void aes_192_expand_key(void *schedule, const uint8_t *key)
{
    uint32_t *rk = schedule;
    vuint32m1_t a = load_key(key), d = load_key(key + 8);
    vuint32m1_t before = __riscv_vxor_vv_u32m1(a, __riscv_vslideup_vx_u32m1(a, a, 1, BLOCK_WORDS), BLOCK_WORDS);
    vuint32m1_t zero = __riscv_vmv_v_x_u32m1(0, BLOCK_WORDS), sum = zero;
    vbool32_t first = __riscv_vmseq_vx_u32m1_b32(__riscv_vid_v_u32m1(BLOCK_WORDS), 0, BLOCK_WORDS);

    put(rk, a);
    put(rk + 2, d);
    NEXT_192(2);
    NEXT_192(4);
    NEXT_192(6);
    NEXT_192(8);
    NEXT_192(10);
    NEXT_192(12);
    NEXT_192(14);
    /* vaeskf2 has no round constant 0x80: it adds 1, and the rest is added to word 0 before. */
    vuint32m1_t difference = __riscv_vmv_s_x_u32m1_tu(zero, 0x80 ^ 1, BLOCK_WORDS);
    put(rk + 6, __riscv_vaeskf2_vi_u32m1(__riscv_vxor_vv_u32m1(a, difference, BLOCK_WORDS), d, 2, BLOCK_WORDS));
}

#define NEXT_256(older, newer, round) \
    older = __riscv_vaeskf2_vi_u32m1(older, newer, round, BLOCK_WORDS); \
    put(rk += BLOCK_WORDS, older)

void aes_256_expand_key(void *schedule, const uint8_t *key)
{
    uint32_t *rk = schedule;
    vuint32m1_t even = load_key(key), odd = load_key(key + AES_BLOCK_BYTES);

    put(rk, even);
    put(rk += BLOCK_WORDS, odd);
    NEXT_256(even, odd, 2);
    NEXT_256(odd, even, 3);
    NEXT_256(even, odd, 4);
    NEXT_256(odd, even, 5);
    NEXT_256(even, odd, 6);
    NEXT_256(odd, even, 7);
    NEXT_256(even, odd, 8);
    NEXT_256(odd, even, 9);
    NEXT_256(even, odd, 10);
    NEXT_256(odd, even, 11);
    NEXT_256(even, odd, 12);
    NEXT_256(odd, even, 13);
    NEXT_256(even, odd, 14);
}

#define DECRYPTION(N) \
    void aes_##N##_expand_key_decrypt(void *rk, const uint8_t *key) { aes_##N##_expand_key(rk, key); }

DECRYPTION(128)
DECRYPTION(192)
DECRYPTION(256)
