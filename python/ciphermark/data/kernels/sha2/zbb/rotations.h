/* The sigma functions of FIPS 180-4, 4.1.2 and 4.1.3, with the rotations of Zbb, for compress_asm.h. */
#ifndef CIPHERMARK_SHA2_ZBB_ROTATIONS_H
#define CIPHERMARK_SHA2_ZBB_ROTATIONS_H

#if WORD_BYTES == 4 && __riscv_xlen == 64
#define ROTATE roriw
#define SHIFT srliw
#else
#define ROTATE rori
#define SHIFT srli
#endif

.macro sigma third, rd, rs, rt, i, j, k
    ROTATE \rd, \rs, \i
    ROTATE \rt, \rs, \j
    xor \rd, \rd, \rt
    \third \rt, \rs, \k
    xor \rd, \rd, \rt
.endm

.macro big_sigma_0 rd, rs, rt
    sigma ROTATE, \rd, \rs, \rt, BIG_SIGMA_0
.endm

.macro big_sigma_1 rd, rs, rt
    sigma ROTATE, \rd, \rs, \rt, BIG_SIGMA_1
.endm

.macro small_sigma_0 rd, rs, rt
    sigma SHIFT, \rd, \rs, \rt, SMALL_SIGMA_0
.endm

.macro small_sigma_1 rd, rs, rt
    sigma SHIFT, \rd, \rs, \rt, SMALL_SIGMA_1
.endm

#endif
