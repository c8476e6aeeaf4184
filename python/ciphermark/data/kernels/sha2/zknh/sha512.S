/* SHA-512 with Zknh on RV64; sha512_rv32.c is its counterpart. As sha256.S otherwise. */
#if __riscv_xlen == 64
#include "sha512_parameters.h"

#define ZKNH(name) sha512##name
#include "sigma_asm.h"

#include "compress_asm.h"
#endif
