/*
 * ChaCha20 encryption with a block in each lane: an assembly template for any length and data at any address. Include
 * after what row_groups.h asks for.
 *
 * A register holds one word of the state of as many blocks as it has 32-bit elements, VLEN / 32. The four words of a
 * row follow one another, so that the row is one register group. Key, iv and data come and go by segment loads and
 * stores, whose fields are the words of a block; with a stride of zero they give every lane the same words. The rounds
 * do not care how many lanes hold a block. Messages of more blocks begin in lanes_pairs_asm.h.
 *
 * Source: RFC 8439. Contract: chacha20.h; clobbers what the standard calling convention allows, all vector registers.
 * Constant time: no table is indexed and no branch taken by data.
 */
#ifndef CIPHERMARK_CHACHA20_LANES_ENCRYPT_ASM_H
#define CIPHERMARK_CHACHA20_LANES_ENCRYPT_ASM_H

#include "row_groups.h"
#include "vector_entry_asm.h"

/* Bounds of what lies on the stack. VLEN up to 4096 is within both. */
#define MOST_VLENB 512
#define MOST_BLOCKS_ON_STACK 256

#define FIRST a5  /* number of the next block, counted from the iv's */
#define BLOCKS a6 /* at once */
#define CONSTANTS a7

#define AHEAD1 v20
#define AHEAD2 v22
#define AHEAD3 v24
#define NUMBERS v26

/* Vectors of 16-bit indices, each of two registers: word 1, 2, 3 columns further on. A column is a register. */
.macro index_columns
    vsetvli t0, zero, e16, m2, ta, ma
    srli    t1, t0, 2
    srli    t2, t0, 1
    addi    t0, t0, -1
    vid.v   AHEAD2
    vadd.vx AHEAD1, AHEAD2, t1
    vand.vx AHEAD1, AHEAD1, t0
    vxor.vx AHEAD2, AHEAD2, t2
    vxor.vx AHEAD3, AHEAD1, t2
.endm

    .text
    .type   encrypt_with_aligned_key, @function
    .balign 4
encrypt_with_aligned_key:
    addi    t0, BYTES, 63
    srli    t0, t0, 6
    csrr    t1, vlenb
    srli    t2, t1, 2
    li      FIRST, 0
    bgtu    t0, t2, encrypt_pairs
/* Encrypts `BYTES` > 0 bytes, which are t0 blocks; the last may be partial. */
encrypt_singles:
    lla     CONSTANTS, expand_32_byte_k
1:  vsetvli BLOCKS, t0, e32, m1, ta, ma
    vlsseg4e32.v v0, (CONSTANTS), zero
    vlsseg8e32.v v4, (KEY), zero
    vlsseg4e32.v v12, (IV), zero
    vid.v   NUMBERS
    vadd.vx NUMBERS, NUMBERS, FIRST
    vadd.vv v12, v12, NUMBERS
    index_columns
    rotation_constants
    vsetvli zero, zero, e32, m4, ta, ma
    .rept 10
    double_round v0, v4, v8, v12, v16, AHEAD1, AHEAD2, AHEAD3
    .endr

    vsetvli zero, BLOCKS, e32, m1, ta, ma
    vadd.vv v12, v12, NUMBERS
    vlsseg4e32.v v16, (CONSTANTS), zero
    vlsseg8e32.v v20, (KEY), zero
    vlsseg4e32.v v28, (IV), zero
    vsetvli t0, zero, e32, m8, ta, ma
    vadd.vv v0, v0, v16
    vadd.vv v8, v8, v24

    slli    t0, BLOCKS, 6
    li      t2, 64
    bltu    BYTES, t0, 3f
    or      t1, OUT, IN
    andi    t1, t1, 3
    bnez    t1, 3f
    addi    t1, IN, 32
    vsetvli zero, BLOCKS, e32, m1, ta, ma
    vlsseg8e32.v v16, (IN), t2
    vlsseg8e32.v v24, (t1), t2
    vsetvli t1, zero, e32, m8, ta, ma
    vxor.vv v0, v0, v16
    vxor.vv v8, v8, v24
    addi    t1, OUT, 32
    vsetvli zero, BLOCKS, e32, m1, ta, ma
    vssseg8e32.v v0, (OUT), t2
    vssseg8e32.v v8, (t1), t2
    sub     BYTES, BYTES, t0
    bnez    BYTES, 2f
    ret
2:  add     IN, IN, t0
    add     OUT, OUT, t0
    add     FIRST, FIRST, BLOCKS
    addi    t0, BYTES, 63
    srli    t0, t0, 6
    j       1b

/* A partial block, or unaligned data: by way of the stack, a byte an element. */
3:  li      t0, MOST_BLOCKS_ON_STACK
    bleu    BLOCKS, t0, 4f
    mv      BLOCKS, t0
4:  slli    t0, BLOCKS, 6
    sub     sp, sp, t0
    addi    t1, sp, 32
    vsetvli zero, BLOCKS, e32, m1, ta, ma
    vssseg8e32.v v0, (sp), t2
    vssseg8e32.v v8, (t1), t2
    mv      t1, t0
    bleu    t1, BYTES, 5f
    mv      t1, BYTES
5:  sub     BYTES, BYTES, t1
    add     FIRST, FIRST, BLOCKS
    mv      t2, sp
    add     t3, sp, t0
    xor_bytes OUT, IN, t2, t1, t0
    mv      sp, t3
    addi    t0, BYTES, 63
    srli    t0, t0, 6
    bnez    t0, 1b
    ret
    .size   encrypt_with_aligned_key, . - encrypt_with_aligned_key

#include "lanes_pairs_asm.h"

    .section .note.GNU-stack, "", @progbits

#endif
