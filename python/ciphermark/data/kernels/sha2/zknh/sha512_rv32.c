/*
 * SHA-512 with Zknh on RV32, whose instructions compute one half of a sigma function from both halves of a word.
 *
 * Source: RISC-V Cryptography Extensions, Volume I: Scalar & Entropy Source, sha512sum0r, sum1r, sig0h, sig0l, sig1h
 * and sig1l. Contract: sha2.h. Constant time: no table is indexed and no branch taken by data.
 */
#if __riscv_xlen == 32
#include "sha512_parameters.h"

#include "load_rev8.h"

/* Each half is computed by an instruction whose first operand is that half of the word. */
#define FUNCTION(name, low_instruction, high_instruction) \
    static inline word name(word x) \
    { \
        uint32_t low = (uint32_t)x, high = (uint32_t)(x >> 32); \
        uint32_t new_low, new_high; \
        __asm__(low_instruction " %0, %1, %2" : "=r"(new_low) : "r"(low), "r"(high)); \
        __asm__(high_instruction " %0, %1, %2" : "=r"(new_high) : "r"(high), "r"(low)); \
        return (word)new_high << 32 | new_low; \
    }

FUNCTION(big_sigma_0, "sha512sum0r", "sha512sum0r")
FUNCTION(big_sigma_1, "sha512sum1r", "sha512sum1r")
FUNCTION(small_sigma_0, "sha512sig0l", "sha512sig0h")
FUNCTION(small_sigma_1, "sha512sig1l", "sha512sig1h")

#include "compress.h"
#endif
