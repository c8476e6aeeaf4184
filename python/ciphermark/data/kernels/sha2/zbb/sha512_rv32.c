/*
 * SHA-512 on RV32: Zbb has no rotation of register pairs, so only rev8 is left of what it gives.
 *
 * Source: FIPS 180-4. Contract: sha2.h. Constant time: no table is indexed and no branch taken by data.
 */
#if __riscv_xlen == 32
#include "sha512_parameters.h"

#include "load_rev8.h"
#include "sigma.h"

#include "compress.h"
#endif
