/*
 * What the published kernels that hold a row of the state in a vector register share (Marshall, Page, Pham: Vector 2):
 * a round on v0 to v3, and four rows of the message in v16 to v19. Their files say which register T is; t0 is free.
 */

.macro rotate x, n
    vsll.vi T, \x, \n
    vsrl.vi \x, \x, 32 - \n
    vor.vv  \x, \x, T
.endm

/* \x += \y; \z = (\z ^ \x) <<< \n */
.macro step x, y, z, n
    vadd.vv \x, \x, \y
    vxor.vv \z, \z, \x
    rotate  \z, \n
.endm

.macro round
    step    v0, v1, v3, 16
    step    v2, v3, v1, 12
    step    v0, v1, v3, 8
    step    v2, v3, v1, 7
.endm

.macro transfer operation, row, at, indices
    .ifb \indices
    \operation \row, (\at)
    .else
    \operation \row, (\at), \indices
    .endif
.endm

/* \operation on four rows in memory, 16 bytes apart, the first at \at. */
.macro each_row operation, at, indices
    transfer \operation, v16, \at, \indices
    addi    t0, \at, 16
    transfer \operation, v17, t0, \indices
    addi    t0, t0, 16
    transfer \operation, v18, t0, \indices
    addi    t0, t0, 16
    transfer \operation, v19, t0, \indices
.endm

.macro xor_rows
    vxor.vv v16, v16, v0
    vxor.vv v17, v17, v1
    vxor.vv v18, v18, v2
    vxor.vv v19, v19, v3
.endm
