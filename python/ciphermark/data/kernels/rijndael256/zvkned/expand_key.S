/*
 * Key expansion of Rijndael with block and key of 256 bits by vaeskf2: AES-256's, continued to thirty halves. The
 * layout is schedule.h's, for both directions.
 *
 * Contract: rijndael.h. a0 = schedule, a1 = key at any alignment.
 * Clobbers a0, a1, t0, v0 to v30. Constant time: no branch or address depends on the key.
 */
#include "schedule.h"

.macro add_halves left, right, before, round
    vaeskf2.vi \left, \before, \round
    vaeskf2.vi \right, \left, \round + 1
.endm

/* Round keys 1 to 7: a copy of the key before (in `from` and its neighbour), replaced by its successor. */
.macro next_key left, right, from, before, round
    vmv2r.v \left, \from
    add_halves \left, \right, \before, 2*\round
.endm

/* From 8: vaeskf2 has no such round constant. It adds its first, and `difference` what that differs by. */
.macro next_key_constant left, right, from, before, difference
    vxor.vv \left, \from, \difference
    vmv1r.v \right, \before
    add_halves \left, \right, \before, 2
.endm

.macro store_four first
    vsseg8e32.v \first, (a0)
    addi    a0, a0, FOUR_KEYS_BYTES
.endm

    .text
    .globl  rijndael_256_256_expand_key
    .type   rijndael_256_256_expand_key, @function
    .globl  rijndael_256_256_expand_key_decrypt
    .type   rijndael_256_256_expand_key_decrypt, @function
    .balign 4
rijndael_256_256_expand_key:
rijndael_256_256_expand_key_decrypt:
    vsetivli zero, 16, e8, m1, ta, ma
    vle8.v  v0, (a1)
    addi    a1, a1, 16
    vle8.v  v1, (a1)
    lla     t0, differences
    vsetivli zero, 4, e32, m1, ta, ma
    vlseg7e32.v v24, (t0)
    next_key v2, v3, v0, v1, 1
    next_key v4, v5, v2, v3, 2
    next_key v6, v7, v4, v5, 3
    store_four v0
    next_key v8, v9, v6, v7, 4
    next_key v10, v11, v8, v9, 5
    next_key v12, v13, v10, v11, 6
    next_key v14, v15, v12, v13, 7
    store_four v8
    next_key_constant v16, v17, v14, v15, v24
    next_key_constant v18, v19, v16, v17, v25
    next_key_constant v20, v21, v18, v19, v26
    next_key_constant v22, v23, v20, v21, v27
    store_four v16
    next_key_constant v0, v1, v22, v23, v28
    next_key_constant v2, v3, v0, v1, v29
    next_key_constant v4, v5, v2, v3, v30
    vsseg8e32.v v0, (a0)
    ret
    .size   rijndael_256_256_expand_key, . - rijndael_256_256_expand_key
    .size   rijndael_256_256_expand_key_decrypt, . - rijndael_256_256_expand_key_decrypt

/* Round constants 8 to 14, each without the first; they belong to word 0 of their registers. */
    .section .rodata
    .balign 4
    .type   differences, @object
differences:
    .irp constant, 0x80, 0x1b, 0x36, 0x6c, 0xd8, 0xab, 0x4d
    .word   \constant ^ 1
    .endr
    .zero   3*7*4
    .size   differences, . - differences

    .section .note.GNU-stack, "", @progbits
