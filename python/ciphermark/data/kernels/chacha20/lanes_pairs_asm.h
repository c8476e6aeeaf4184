/*
 * ChaCha20 encryption with a block in each lane, words in pairs of registers: the part of lanes_encrypt_asm.h for
 * messages that are too long for single registers, VLEN / 16 blocks at a time.
 *
 * The four rows, groups of eight, fill the register file. What needs a group beside them takes the first row's, which
 * is stored meanwhile; it is moved against the others by loading it from between two stored copies. The others are
 * slid. Frame, in units of eight registers: the two copies of the first row, then the four initial rows.
 */
#ifndef CIPHERMARK_CHACHA20_LANES_PAIRS_ASM_H
#define CIPHERMARK_CHACHA20_LANES_PAIRS_ASM_H

/* Elements of one, two, three words of a row; the first is the number of lanes, too. */
#define LANES a5
#define LANES2 a6
#define LANES3 a7
/* The second copy of the first row; the row from its second, and from its fourth word on. */
#define COPY t0
#define FROM_WORD1 t1
#define FROM_WORD3 t2

/* In place of the rest of the rotations' constants. */
#define ROW_BYTES t3
#define STRIDE t3
#define STREAM t3
#define INITIAL t4
#define T t5
#define BLOCKS_AT_ONCE t6

.macro save_first_row a
#if ROTATE_NEEDS_TEMPORARY
    vs8r.v  \a, (sp)
#endif
.endm

.macro restore_first_row a
#if ROTATE_NEEDS_TEMPORARY
    vl8re32.v \a, (sp)
#endif
.endm

/* The first row's group is left free, the row itself in both copies. */
.macro round_with_first_row_stored a, b, c, d
    vadd.vv \a, \a, \b
    vxor.vv \d, \d, \a
    save_first_row \a
    rotate  \d, 16, \a
    step    \c, \d, \b, 12, \a
    restore_first_row \a
    vadd.vv \a, \a, \b
    vxor.vv \d, \d, \a
    vs8r.v  \a, (sp)
    vs8r.v  \a, (COPY)
    rotate  \d, 8, \a
    step    \c, \d, \b, 7, \a
.endm

.macro move_row to, from, down, up
    vslidedown.vx \to, \from, \down
    vslideup.vx \to, \from, \up
.endm

/* The first row comes from memory at \first, if given, and is left at FROM_WORD1. */
.macro double_round_of_pairs a, b, c, d, first
    .ifnb \first
    vl8re32.v \a, (\first)
    .endif
    round_with_first_row_stored \a, \b, \c, \d
    move_row \a, \c, LANES, LANES3
    move_row \c, \d, LANES2, LANES2
    vl8re32.v \d, (FROM_WORD3)
    round_with_first_row_stored \d, \b, \a, \c
    move_row \d, \c, LANES2, LANES2
    move_row \c, \a, LANES3, LANES
.endm

    .text
    .type   encrypt_pairs, @function
    .balign 4
/* VLENB is in t1. What is left goes to encrypt_singles: a few blocks, or everything if registers are too long. */
encrypt_pairs:
    li      t2, MOST_VLENB
    bgtu    t1, t2, encrypt_singles

    slli    t2, t1, 1
    slli    ROW_BYTES, t1, 3
    slli    INITIAL, t1, 4
    slli    T, t1, 5
    sub     sp, sp, INITIAL
    sub     sp, sp, T
    add     FROM_WORD1, sp, t2
    add     COPY, sp, ROW_BYTES
    sub     FROM_WORD3, COPY, t2
    add     INITIAL, sp, INITIAL

    vsetvli LANES, zero, e32, m2, ta, ma
    slli    LANES2, LANES, 1
    add     LANES3, LANES2, LANES
    vlsseg4e32.v v24, (IV), zero
    vid.v   v0
    vadd.vv v24, v24, v0
    lla     T, expand_32_byte_k
    vlsseg4e32.v v0, (T), zero
    vlsseg4e32.v v8, (KEY), zero
    addi    T, KEY, 16
    vlsseg4e32.v v16, (T), zero
    vs8r.v  v0, (INITIAL)
    add     T, INITIAL, ROW_BYTES
    vs8r.v  v8, (T)
    add     T, T, ROW_BYTES
    vs8r.v  v16, (T)
    add     T, T, ROW_BYTES
    vs8r.v  v24, (T)
    vsetvli T, zero, e32, m8, ta, ma

1:  rotation_constants
    double_round_of_pairs v0, v8, v16, v24
    .rept 9
    double_round_of_pairs v0, v8, v16, v24, FROM_WORD1
    .endr

    slli    ROW_BYTES, LANES, 4
    add     INITIAL, COPY, ROW_BYTES
    add     T, INITIAL, ROW_BYTES
    vl8re32.v v0, (T)
    vadd.vv v8, v8, v0
    add     T, T, ROW_BYTES
    vl8re32.v v0, (T)
    vadd.vv v16, v16, v0
    add     T, T, ROW_BYTES
    vl8re32.v v0, (T)
    vadd.vv v24, v24, v0

    addi    BLOCKS_AT_ONCE, BYTES, 63
    srli    BLOCKS_AT_ONCE, BLOCKS_AT_ONCE, 6
    bleu    BLOCKS_AT_ONCE, LANES, 2f
    mv      BLOCKS_AT_ONCE, LANES
2:  vsetvli zero, BLOCKS_AT_ONCE, e32, m2, ta, ma
    vadd.vx v0, v0, BLOCKS_AT_ONCE
    vs2r.v  v0, (T)
    li      STRIDE, 64
    slli    T, BLOCKS_AT_ONCE, 6
    bltu    BYTES, T, 5f
    or      T, OUT, IN
    andi    T, T, 3
    bnez    T, 5f
    addi    T, IN, 16
    vlsseg4e32.v v0, (T), STRIDE
    vsetvli T, zero, e32, m8, ta, ma
    vxor.vv v8, v8, v0
    vsetvli zero, BLOCKS_AT_ONCE, e32, m2, ta, ma
    addi    T, OUT, 16
    vssseg4e32.v v8, (T), STRIDE
    addi    T, IN, 32
    vlsseg4e32.v v0, (T), STRIDE
    addi    T, IN, 48
    vlsseg4e32.v v8, (T), STRIDE
    vsetvli T, zero, e32, m8, ta, ma
    vxor.vv v16, v16, v0
    vxor.vv v24, v24, v8
    vl8re32.v v0, (FROM_WORD1)
    vl8re32.v v8, (INITIAL)
    vadd.vv v0, v0, v8
    vsetvli zero, BLOCKS_AT_ONCE, e32, m2, ta, ma
    addi    T, OUT, 32
    vssseg4e32.v v16, (T), STRIDE
    addi    T, OUT, 48
    vssseg4e32.v v24, (T), STRIDE
    vlsseg4e32.v v8, (IN), STRIDE
    vsetvli T, zero, e32, m8, ta, ma
    vxor.vv v0, v0, v8
    vsetvli zero, BLOCKS_AT_ONCE, e32, m2, ta, ma
    vssseg4e32.v v0, (OUT), STRIDE

    slli    T, BLOCKS_AT_ONCE, 6
    add     IN, IN, T
    add     OUT, OUT, T
    sub     BYTES, BYTES, T
6:  slli    ROW_BYTES, LANES, 4
    addi    T, BYTES, 63
    srli    T, T, 6
    slli    T, T, 1
    bleu    T, LANES, 3f

    vsetvli T, zero, e32, m8, ta, ma
    vl8re32.v v0, (INITIAL)
    add     T, INITIAL, ROW_BYTES
    vl8re32.v v8, (T)
    add     T, T, ROW_BYTES
    vl8re32.v v16, (T)
    add     T, T, ROW_BYTES
    vl8re32.v v24, (T)
    j       1b

3:  slli    T, ROW_BYTES, 2
    add     INITIAL, INITIAL, T
    sub     T, INITIAL, ROW_BYTES
    lw      FIRST, (T)
    mv      sp, INITIAL
    bnez    BYTES, 4f
    ret
4:  lw      T, (IV)
    sub     FIRST, FIRST, T
    addi    t0, BYTES, 63
    srli    t0, t0, 6
    j       encrypt_singles

/* A partial block, or unaligned data: by way of the stack, below the frame, a byte an element. */
5:  vl8re32.v v0, (FROM_WORD1)
    slli    T, BLOCKS_AT_ONCE, 6
    sub     sp, sp, T
    addi    T, sp, 16
    vssseg4e32.v v8, (T), STRIDE
    addi    T, sp, 32
    vssseg4e32.v v16, (T), STRIDE
    addi    T, sp, 48
    vssseg4e32.v v24, (T), STRIDE
    vl8re32.v v8, (INITIAL)
    vsetvli T, zero, e32, m8, ta, ma
    vadd.vv v0, v0, v8
    vsetvli zero, BLOCKS_AT_ONCE, e32, m2, ta, ma
    vssseg4e32.v v0, (sp), STRIDE
    slli    BLOCKS_AT_ONCE, BLOCKS_AT_ONCE, 6
    bleu    BLOCKS_AT_ONCE, BYTES, 7f
    mv      BLOCKS_AT_ONCE, BYTES
7:  sub     BYTES, BYTES, BLOCKS_AT_ONCE
    mv      STREAM, sp
    xor_bytes OUT, IN, STREAM, BLOCKS_AT_ONCE, T
    slli    ROW_BYTES, LANES, 4
    sub     sp, COPY, ROW_BYTES
    j       6b
    .size   encrypt_pairs, . - encrypt_pairs

#endif
