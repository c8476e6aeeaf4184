/*
 * CTR. Counters of one run, the blocks until the counter's last byte wraps, differ in that byte only: viota numbers
 * the blocks in it, all else is the same for all of them. A carry is thus a matter of scalar code, once in 256 blocks.
 *
 * Contract: aes.h. Constant time in everything but lengths, addresses and the counter.
 */
#include "cipher.h"

#define RUN_BLOCKS 256
#define LAST_BYTE (AES_BLOCK_BYTES - 1)

static inline size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Adds `blocks`, by which the last byte wraps at most once. A call would spill every vector register. */
INLINE void advance(uint8_t *counter, size_t blocks)
{
    size_t last = counter[LAST_BYTE] + blocks;
    counter[LAST_BYTE] = (uint8_t)last;
    if (last >= RUN_BLOCKS)
        for (int i = LAST_BYTE; i-- != 0 && ++counter[i] == 0;)
            ;
}

INLINE void ctr(uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *counter, int rounds, ROUND_KEYS)
{
    size_t all = __riscv_vsetvlmax_e16m1();
    vbool2_t last_bytes = __riscv_vreinterpret_v_u16m1_b2(__riscv_vmv_v_x_u16m1(1 << LAST_BYTE, all));
    size_t group = least(__riscv_vsetvlmax_e8m4(), RUN_BLOCKS * AES_BLOCK_BYTES);

    while (bytes != 0) {
        size_t last = counter[LAST_BYTE];
        size_t run = least(bytes, AES_BLOCK_BYTES * (RUN_BLOCKS - last));
        vuint8m1_t first = __riscv_vle8_v_u8m1(counter, LAST_BYTE);
        first = __riscv_vslideup_vx_u8m1(first, __riscv_vmv_v_x_u8m1(0, 1), LAST_BYTE, AES_BLOCK_BYTES);
        vuint32m1_t base = __riscv_vxor_vv_u32m1(k0, __riscv_vreinterpret_v_u8m1_u32m1(first), BLOCK_WORDS);
        advance(counter, (run + LAST_BYTE) / AES_BLOCK_BYTES);
        bytes -= run;

        for (size_t now; run != 0; run -= now, in += now, out += now, last += group / AES_BLOCK_BYTES) {
            now = least(run, group);
            size_t whole = (now + LAST_BYTE) & -(size_t)AES_BLOCK_BYTES;
            vuint8m4_t x = __riscv_vmv_v_x_u8m4(0, whole);
            x = __riscv_viota_m_u8m4_mu(last_bytes, x, last_bytes, whole);
            x = __riscv_vadd_vx_u8m4_mu(last_bytes, x, x, (uint8_t)last, whole);
            vuint32m4_t keystream = __riscv_vreinterpret_v_u8m4_u32m4(x);
            keystream = encrypt(keystream, rounds, whole / 4, base, k1, k2, k3, k4, k5, k6, k7, k8, k9, k10, k11, k12,
                k13, k14);
            x = __riscv_vreinterpret_v_u32m4_u8m4(keystream);
            __riscv_vse8_v_u8m4(out, __riscv_vxor_vv_u8m4(x, __riscv_vle8_v_u8m4(in, now), now), now);
        }
    }
}

#define CTR(N, ROUNDS) \
    void aes_##N##_ctr_encrypt(uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *counter, const void *rk) \
    { ctr(out, in, bytes, counter, ROUNDS, LOADED_ROUND_KEYS((const uint32_t *)rk)); }

CTR(128, 10)
CTR(192, 12)
CTR(256, 14)
