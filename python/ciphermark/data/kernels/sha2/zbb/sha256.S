/*
 * SHA-256 with Zbb (rori, rev8) on RV32 and RV64. What a compiler does with Zbb by itself is seen by compiling
 * sha2/reference for a target that has it.
 *
 * Source: FIPS 180-4.
 * Contract: sha2.h. Registers, stack and constant time: compress_asm.h.
 */
#include "sha256_parameters.h"

#include "rotations.h"

#include "compress_asm.h"
