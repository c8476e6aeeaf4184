/*
 * Rotation of 32-bit elements in the base vector extension: a shift and a multiply-add. What row_groups.h asks for.
 *
 * x <<< n = x * 2^n + (x >> (32 - n)): no bit is set in both terms, so adding them is or-ing them, and the addition
 * comes with the multiplication. That is one instruction less than with two shifts. Zvkt lists both as constant in
 * time.
 */
#ifndef CIPHERMARK_CHACHA20_ROTATE_RVV_H
#define CIPHERMARK_CHACHA20_ROTATE_RVV_H

#define ROTATE_NEEDS_TEMPORARY 1

#define TWO_TO_16 t3
#define TWO_TO_12 t4
#define TWO_TO_8 t5
#define TWO_TO_7 t6

.macro rotation_constants
    lui     TWO_TO_16, 1 << 4
    lui     TWO_TO_12, 1
    li      TWO_TO_8, 1 << 8
    li      TWO_TO_7, 1 << 7
.endm

.macro rotate x, n, t
    vsrl.vi \t, \x, 32 - \n
    .if \n == 16
    vmadd.vx \x, TWO_TO_16, \t
    .elseif \n == 12
    vmadd.vx \x, TWO_TO_12, \t
    .elseif \n == 8
    vmadd.vx \x, TWO_TO_8, \t
    .else
    vmadd.vx \x, TWO_TO_7, \t
    .endif
.endm

#endif
