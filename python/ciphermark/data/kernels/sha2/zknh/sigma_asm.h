/*
 * The sigma functions of FIPS 180-4, 4.1.2 and 4.1.3, as single instructions of Zknh, for compress_asm.h.
 * ZKNH(sum0) is the instruction's name: sha256sum0 or sha512sum0.
 */
#ifndef CIPHERMARK_SHA2_ZKNH_SIGMA_ASM_H
#define CIPHERMARK_SHA2_ZKNH_SIGMA_ASM_H

.macro big_sigma_0 rd, rs, rt
    ZKNH(sum0) \rd, \rs
.endm

.macro big_sigma_1 rd, rs, rt
    ZKNH(sum1) \rd, \rs
.endm

.macro small_sigma_0 rd, rs, rt
    ZKNH(sig0) \rd, \rs
.endm

.macro small_sigma_1 rd, rs, rt
    ZKNH(sig1) \rd, \rs
.endm

#endif
