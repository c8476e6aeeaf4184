/*
 * AES with the C intrinsics of Zvkned, on groups of four vector registers.
 *
 * Schedule: the round keys in order, for both directions. Blocks are loaded and stored as bytes, so that they need
 * not be aligned. Constant time: no branch or address depends on the key or the data (Zvkned is on Zvkt's list).
 */
#ifndef CIPHERMARK_AES_ZVKNED_INTRINSICS_H
#define CIPHERMARK_AES_ZVKNED_INTRINSICS_H

#include <riscv_vector.h>

#include "aes.h"

#define BLOCK_WORDS 4

/* Vectors have no size that C knows, so that neither a structure nor an array can hold the round keys. */
#define ROUND_KEYS \
    vuint32m1_t k0, vuint32m1_t k1, vuint32m1_t k2, vuint32m1_t k3, vuint32m1_t k4, vuint32m1_t k5, vuint32m1_t k6, \
        vuint32m1_t k7, vuint32m1_t k8, vuint32m1_t k9, vuint32m1_t k10, vuint32m1_t k11, vuint32m1_t k12, \
        vuint32m1_t k13, vuint32m1_t k14

#define LOAD_ROUND_KEY(rk, i) __riscv_vle32_v_u32m1((rk) + BLOCK_WORDS * (i), BLOCK_WORDS)

/* As arguments; a compiler leaves out those that fewer `rounds` do not use. */
#define LOADED_ROUND_KEYS(rk) \
    LOAD_ROUND_KEY(rk, 0), LOAD_ROUND_KEY(rk, 1), LOAD_ROUND_KEY(rk, 2), LOAD_ROUND_KEY(rk, 3), LOAD_ROUND_KEY(rk, 4), \
        LOAD_ROUND_KEY(rk, 5), LOAD_ROUND_KEY(rk, 6), LOAD_ROUND_KEY(rk, 7), LOAD_ROUND_KEY(rk, 8), \
        LOAD_ROUND_KEY(rk, 9), LOAD_ROUND_KEY(rk, 10), LOAD_ROUND_KEY(rk, 11), LOAD_ROUND_KEY(rk, 12), \
        LOAD_ROUND_KEY(rk, 13), LOAD_ROUND_KEY(rk, 14)

#define KEY_ARGUMENTS k0, k1, k2, k3, k4, k5, k6, k7, k8, k9, k10, k11, k12, k13, k14

#define INLINE static inline __attribute__((always_inline))

/* Words of `vl`; bytes are read and written. */
INLINE vuint32m4_t load(const uint8_t *in, size_t vl)
{
    return __riscv_vreinterpret_v_u8m4_u32m4(__riscv_vle8_v_u8m4(in, 4 * vl));
}

INLINE void store(uint8_t *out, vuint32m4_t x, size_t vl)
{
    __riscv_vse8_v_u8m4(out, __riscv_vreinterpret_v_u32m4_u8m4(x), 4 * vl);
}

/* `rounds` is a constant: 10, 12 or 14. */
INLINE vuint32m4_t encrypt(vuint32m4_t x, int rounds, size_t vl, ROUND_KEYS)
{
    x = __riscv_vaesz_vs_u32m1_u32m4(x, k0, vl);
    x = __riscv_vaesem_vs_u32m1_u32m4(x, k1, vl);
    x = __riscv_vaesem_vs_u32m1_u32m4(x, k2, vl);
    x = __riscv_vaesem_vs_u32m1_u32m4(x, k3, vl);
    x = __riscv_vaesem_vs_u32m1_u32m4(x, k4, vl);
    x = __riscv_vaesem_vs_u32m1_u32m4(x, k5, vl);
    x = __riscv_vaesem_vs_u32m1_u32m4(x, k6, vl);
    x = __riscv_vaesem_vs_u32m1_u32m4(x, k7, vl);
    x = __riscv_vaesem_vs_u32m1_u32m4(x, k8, vl);
    x = __riscv_vaesem_vs_u32m1_u32m4(x, k9, vl);
    if (rounds == 10)
        return __riscv_vaesef_vs_u32m1_u32m4(x, k10, vl);
    x = __riscv_vaesem_vs_u32m1_u32m4(x, k10, vl);
    x = __riscv_vaesem_vs_u32m1_u32m4(x, k11, vl);
    if (rounds == 12)
        return __riscv_vaesef_vs_u32m1_u32m4(x, k12, vl);
    x = __riscv_vaesem_vs_u32m1_u32m4(x, k12, vl);
    x = __riscv_vaesem_vs_u32m1_u32m4(x, k13, vl);
    return __riscv_vaesef_vs_u32m1_u32m4(x, k14, vl);
}

INLINE vuint32m4_t decrypt(vuint32m4_t x, int rounds, size_t vl, ROUND_KEYS)
{
    if (rounds == 14) {
        x = __riscv_vaesz_vs_u32m1_u32m4(x, k14, vl);
        x = __riscv_vaesdm_vs_u32m1_u32m4(x, k13, vl);
        x = __riscv_vaesdm_vs_u32m1_u32m4(x, k12, vl);
    } else if (rounds == 12) {
        x = __riscv_vaesz_vs_u32m1_u32m4(x, k12, vl);
    }
    if (rounds == 10) {
        x = __riscv_vaesz_vs_u32m1_u32m4(x, k10, vl);
    } else {
        x = __riscv_vaesdm_vs_u32m1_u32m4(x, k11, vl);
        x = __riscv_vaesdm_vs_u32m1_u32m4(x, k10, vl);
    }
    x = __riscv_vaesdm_vs_u32m1_u32m4(x, k9, vl);
    x = __riscv_vaesdm_vs_u32m1_u32m4(x, k8, vl);
    x = __riscv_vaesdm_vs_u32m1_u32m4(x, k7, vl);
    x = __riscv_vaesdm_vs_u32m1_u32m4(x, k6, vl);
    x = __riscv_vaesdm_vs_u32m1_u32m4(x, k5, vl);
    x = __riscv_vaesdm_vs_u32m1_u32m4(x, k4, vl);
    x = __riscv_vaesdm_vs_u32m1_u32m4(x, k3, vl);
    x = __riscv_vaesdm_vs_u32m1_u32m4(x, k2, vl);
    x = __riscv_vaesdm_vs_u32m1_u32m4(x, k1, vl);
    return __riscv_vaesdf_vs_u32m1_u32m4(x, k0, vl);
}

#endif
