/* SHA-512 with Zbb (rori, rev8) on RV64; sha512_rv32.c is its counterpart. As sha256.S otherwise. */
#if __riscv_xlen == 64
#include "sha512_parameters.h"

#include "rotations.h"

#include "compress_asm.h"
#endif
