/*
 * SHA-256 with Zknh on RV32 and RV64; bytes are reversed by Zbb's or Zbkb's rev8 if the target has one of them.
 *
 * Source: RISC-V Cryptography Extensions, Volume I: Scalar & Entropy Source, sha256sum0, sum1, sig0 and sig1.
 * Contract: sha2.h. Registers, stack and constant time: compress_asm.h.
 */
#include "sha256_parameters.h"

#define ZKNH(name) sha256##name
#include "sigma_asm.h"

#include "compress_asm.h"
