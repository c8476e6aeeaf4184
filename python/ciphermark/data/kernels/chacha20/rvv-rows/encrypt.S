/*
 * ChaCha20 encryption with the base vector extension: a block in four lanes. Each of four register groups holds one row
 * of the state of VLEN / 32 blocks, or of what is left of them, four words of one block before those of the next.
 *
 * Source: RFC 8439; rows after Goll and Gueron, Vectorization on ChaCha Stream Cipher, ITNG 2014. Contract: chacha20.h;
 * clobbers what the standard calling convention allows, all vector registers.
 * Constant time: no table is indexed and no branch taken by data.
 */
#include "rotate_rvv.h"

#include "row_groups.h"
#include "vector_entry_asm.h"

#define FIRST a5 /* number of the next block, counted from the iv's */
#define CONSTANTS a6
#define KEY16 a7 /* the key's second half */
#define MOST t2  /* words of a row at once */

/* A bound of what lies on the stack. VLEN up to 8192 is within it. */
#define MOST_BLOCKS_ON_STACK 256

#define FIRST_WORD v0 /* mask: the elements that are the first word of a block's row */
/* 16-bit byte offsets of each element in the row of one block, and in the message. */
#define IN_ROW v2
#define IN_MESSAGE v4
/* 16-bit indices of the word 1, 2, 3 columns further on. */
#define AHEAD1 v6
#define AHEAD2 v8
#define AHEAD3 v10

#define A v12
#define B v16
#define C v20
#define D v24
#define T v28

.macro index_elements
    vsetvli zero, MOST, e16, m2, ta, ma
    vid.v   AHEAD2
    vadd.vi AHEAD1, AHEAD2, 1
    vxor.vv AHEAD1, AHEAD1, AHEAD2
    vand.vi AHEAD1, AHEAD1, 3
    vxor.vv AHEAD1, AHEAD1, AHEAD2
    vand.vi IN_ROW, AHEAD2, 3
    vsll.vi IN_ROW, IN_ROW, 2
    vmseq.vi FIRST_WORD, IN_ROW, 0
    vsrl.vi IN_MESSAGE, AHEAD2, 2
    vsll.vi IN_MESSAGE, IN_MESSAGE, 6
    vadd.vv IN_MESSAGE, IN_MESSAGE, IN_ROW
    vxor.vi AHEAD2, AHEAD2, 2
    vxor.vi AHEAD3, AHEAD1, 2
.endm

/* The number of each block onto its first word. */
.macro add_numbers d
    vid.v   T
    vsrl.vi T, T, 2
    vadd.vx T, T, FIRST
    vadd.vv \d, \d, T, v0.t
.endm

.macro add_initial row, from
    vluxei16.v T, (\from), IN_ROW
    vadd.vv \row, \row, T
.endm

.macro xor_row row
    vluxei16.v T, (IN), IN_MESSAGE
    vxor.vv \row, \row, T
    vsuxei16.v \row, (OUT), IN_MESSAGE
.endm

.macro xor_next_row row
    addi    IN, IN, 16
    addi    OUT, OUT, 16
    xor_row \row
.endm

.macro store_row row, offset
    addi    t1, sp, \offset
    vsuxei16.v \row, (t1), IN_MESSAGE
.endm

    .text
    .type   encrypt_with_aligned_key, @function
    .balign 4
encrypt_with_aligned_key:
    li      FIRST, 0
    lla     CONSTANTS, expand_32_byte_k
    addi    KEY16, KEY, 16
    csrr    MOST, vlenb
    li      t0, 4 * MOST_BLOCKS_ON_STACK
    bleu    MOST, t0, 1f
    mv      MOST, t0
1:  rotation_constants
    index_elements

2:  addi    t0, BYTES, 63
    srli    t0, t0, 6
    slli    t0, t0, 2
    bleu    t0, MOST, 3f
    mv      t0, MOST
3:  vsetvli zero, t0, e32, m4, ta, mu
    vluxei16.v A, (CONSTANTS), IN_ROW
    vluxei16.v B, (KEY), IN_ROW
    vluxei16.v C, (KEY16), IN_ROW
    vluxei16.v D, (IV), IN_ROW
    add_numbers D
    .rept 10
    double_round A, B, C, D, T, AHEAD1, AHEAD2, AHEAD3
    .endr
    add_initial A, CONSTANTS
    add_initial B, KEY
    add_initial C, KEY16
    add_initial D, IV
    add_numbers D

    slli    t0, t0, 4
    bltu    BYTES, t0, 5f
    or      t1, OUT, IN
    andi    t1, t1, 3
    bnez    t1, 5f
    xor_row A
    xor_next_row B
    xor_next_row C
    xor_next_row D
    sub     BYTES, BYTES, t0
    bnez    BYTES, 4f
    ret
4:  srli    t1, t0, 6
    add     FIRST, FIRST, t1
    addi    t0, t0, -48
    add     IN, IN, t0
    add     OUT, OUT, t0
    j       2b

/* A partial block, or unaligned data: by way of the stack, a byte an element. */
5:  srli    t1, t0, 6
    add     FIRST, FIRST, t1
    sub     sp, sp, t0
    vsuxei16.v A, (sp), IN_MESSAGE
    store_row B, 16
    store_row C, 32
    store_row D, 48
    mv      t1, t0
    bleu    t1, BYTES, 6f
    mv      t1, BYTES
6:  sub     BYTES, BYTES, t1
    add     t3, sp, t0
    mv      t4, sp
    xor_bytes OUT, IN, t4, t1, t0
    mv      sp, t3
    bnez    BYTES, 1b               /* the index vectors are lost */
    ret
    .size   encrypt_with_aligned_key, . - encrypt_with_aligned_key

    .section .note.GNU-stack, "", @progbits
