/* Rotation of 32-bit elements with Zvkb (part of Zvbb): one instruction, in place. What row_groups.h asks for. */
#ifndef CIPHERMARK_CHACHA20_ROTATE_ZVKB_H
#define CIPHERMARK_CHACHA20_ROTATE_ZVKB_H

#define ROTATE_NEEDS_TEMPORARY 0

.macro rotation_constants
.endm

.macro rotate x, n, t
    vror.vi \x, \x, 32 - \n
.endm

#endif
