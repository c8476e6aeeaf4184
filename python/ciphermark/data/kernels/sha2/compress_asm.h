/*
 * The compression function of FIPS 180-4, 6.2.2 and 6.4.2, as an assembly template for words no longer than XLEN:
 * SHA-256 on RV32 and RV64, SHA-512 on RV64.
 *
 * Include after the algorithm's parameters and after the macros
 *   big_sigma_0 rd, rs, rt    big_sigma_1    small_sigma_0    small_sigma_1
 * which may clobber rt, and on RV64 must ignore the upper half of 32-bit words and may leave anything there.
 *
 * The working variables, all 16 words of the schedule, the pointer to the round constants and three temporaries fill
 * the 28 registers there are: nothing is spilled within a block. Sixteen rounds are unrolled, so that variables change
 * names instead of moving.
 *
 * void shaN_compress(word state[8], const uint8_t *data, size_t blocks): the standard calling convention.
 * Stack: STACK_BYTES below. Constant time: no table is indexed and no branch taken by data.
 */
#ifndef CIPHERMARK_SHA2_COMPRESS_ASM_H
#define CIPHERMARK_SHA2_COMPRESS_ASM_H

#if __riscv_xlen == 64
#define LOAD_X ld
#define STORE_X sd
#define X_BYTES 8
#else
#define LOAD_X lw
#define STORE_X sw
#define X_BYTES 4
#endif

#if WORD_BYTES == 8
#define LOAD ld
#define STORE sd
#define WORDS .dword
#else
#define LOAD lw
#define STORE sw
#define WORDS .word
#endif

#define A s0
#define B s1
#define C s2
#define D s3
#define E s4
#define F s5
#define G s6
#define H s7

#define W0 s8
#define W1 s9
#define W2 s10
#define W3 s11
#define W4 a0
#define W5 a1
#define W6 a2
#define W7 a3
#define W8 a4
#define W9 a5
#define W10 a6
#define W11 a7
#define W12 t4
#define W13 t5
#define W14 t6
#define W15 ra

#define CONSTANT t3 /* points to the current 16 round constants */
#define T t0
/* The majority of (a, b, c) is b ^ ((a ^ b) & (b ^ c)), and the next round's b ^ c is this one's a ^ b. */
#define X t1
#define Y t2

/* Frame: the message block in native byte order, then what the caller wants preserved, then the arguments. */
#define SAVED BLOCK_BYTES
#define STATE (SAVED + 13 * X_BYTES)
#define DATA (STATE + X_BYTES)
#define END (DATA + X_BYTES)
#define STACK_BYTES (SAVED + 16 * X_BYTES)

.macro each_saved instruction
    \instruction ra, (SAVED + 0 * X_BYTES)(sp)
    \instruction s0, (SAVED + 1 * X_BYTES)(sp)
    \instruction s1, (SAVED + 2 * X_BYTES)(sp)
    \instruction s2, (SAVED + 3 * X_BYTES)(sp)
    \instruction s3, (SAVED + 4 * X_BYTES)(sp)
    \instruction s4, (SAVED + 5 * X_BYTES)(sp)
    \instruction s5, (SAVED + 6 * X_BYTES)(sp)
    \instruction s6, (SAVED + 7 * X_BYTES)(sp)
    \instruction s7, (SAVED + 8 * X_BYTES)(sp)
    \instruction s8, (SAVED + 9 * X_BYTES)(sp)
    \instruction s9, (SAVED + 10 * X_BYTES)(sp)
    \instruction s10, (SAVED + 11 * X_BYTES)(sp)
    \instruction s11, (SAVED + 12 * X_BYTES)(sp)
.endm

/* `\macro w, i` for every word of the schedule. */
.macro each_word macro
    \macro W0, 0
    \macro W1, 1
    \macro W2, 2
    \macro W3, 3
    \macro W4, 4
    \macro W5, 5
    \macro W6, 6
    \macro W7, 7
    \macro W8, 8
    \macro W9, 9
    \macro W10, 10
    \macro W11, 11
    \macro W12, 12
    \macro W13, 13
    \macro W14, 14
    \macro W15, 15
.endm

/* Word \i of the block at T. */
.macro load_native w, i
    LOAD \w, (\i * WORD_BYTES)(T)
.endm

#if defined(__riscv_zbb) || defined(__riscv_zbkb)
#define HAS_REV8 1
.macro load_big_endian w, i
    LOAD \w, (\i * WORD_BYTES)(T)
    rev8 \w, \w
#if WORD_BYTES < X_BYTES
    srli \w, \w, 32
#endif
.endm
#else
#define HAS_REV8 0
#endif

/* One byte more of the big-endian word in X, from T. */
.macro append_byte i
    lbu Y, \i(T)
    slli X, X, 8
    or X, X, Y
.endm

/* \ab becomes a ^ b; \bc holds the b ^ c of this round and is lost. */
.macro round a, b, c, d, e, f, g, h, w, i, ab, bc
    big_sigma_1 T, \e, \ab
    add \h, \h, T
    xor T, \f, \g
    and T, T, \e
    xor T, T, \g
    add \h, \h, T
    LOAD T, (\i * WORD_BYTES)(CONSTANT)
    add \h, \h, \w
    add \h, \h, T
    add \d, \d, \h
    big_sigma_0 T, \a, \ab
    add \h, \h, T
    xor \ab, \a, \b
    and \bc, \bc, \ab
    xor \bc, \bc, \b
    add \h, \h, \bc
.endm

/* W(t + 16) = W(t) + sigma0(W(t + 1)) + W(t + 9) + sigma1(W(t + 14)), where X is free. */
.macro extend w, w1, w9, w14
    small_sigma_0 T, \w1, X
    add \w, \w, \w9
    add \w, \w, T
    small_sigma_1 T, \w14, X
    add \w, \w, T
.endm

/* Adds word \i of the state to \v and stores the sum; the state is at T. */
.macro feed_forward v, i
    LOAD X, (\i * WORD_BYTES)(T)
    add \v, \v, X
    STORE \v, (\i * WORD_BYTES)(T)
.endm

    .text
    .balign 4
    .globl SHA2(compress)
    .type SHA2(compress), @function
SHA2(compress):
    beqz a2, .Lnothing
    addi sp, sp, -STACK_BYTES
    each_saved STORE_X
    STORE_X a0, STATE(sp)
    STORE_X a1, DATA(sp)
#if WORD_BYTES == 8
    slli a2, a2, 7
#else
    slli a2, a2, 6
#endif
    add a2, a1, a2
    STORE_X a2, END(sp)
    LOAD A, (0 * WORD_BYTES)(a0)
    LOAD B, (1 * WORD_BYTES)(a0)
    LOAD C, (2 * WORD_BYTES)(a0)
    LOAD D, (3 * WORD_BYTES)(a0)
    LOAD E, (4 * WORD_BYTES)(a0)
    LOAD F, (5 * WORD_BYTES)(a0)
    LOAD G, (6 * WORD_BYTES)(a0)
    LOAD H, (7 * WORD_BYTES)(a0)
    mv T, a1

.Lblock: /* at T */
#if HAS_REV8
    andi X, T, WORD_BYTES - 1
    bnez X, .Lassemble
    each_word load_big_endian
    j .Lloaded
#endif
.Lassemble: /* Unaligned, or no byte reversal: words from bytes, in the frame. */
    mv W0, sp
    addi W1, T, BLOCK_BYTES
.Lassemble_word:
    lbu X, 0(T)
    append_byte 1
    append_byte 2
    append_byte 3
#if WORD_BYTES == 8
    append_byte 4
    append_byte 5
    append_byte 6
    append_byte 7
#endif
    STORE X, 0(W0)
    addi T, T, WORD_BYTES
    addi W0, W0, WORD_BYTES
    bne T, W1, .Lassemble_word
    mv T, sp
    each_word load_native

.Lloaded:
    lla CONSTANT, .Lround_constants
    xor Y, B, C
.Lrounds:
    round A, B, C, D, E, F, G, H, W0, 0, X, Y
    round H, A, B, C, D, E, F, G, W1, 1, Y, X
    round G, H, A, B, C, D, E, F, W2, 2, X, Y
    round F, G, H, A, B, C, D, E, W3, 3, Y, X
    round E, F, G, H, A, B, C, D, W4, 4, X, Y
    round D, E, F, G, H, A, B, C, W5, 5, Y, X
    round C, D, E, F, G, H, A, B, W6, 6, X, Y
    round B, C, D, E, F, G, H, A, W7, 7, Y, X
    round A, B, C, D, E, F, G, H, W8, 8, X, Y
    round H, A, B, C, D, E, F, G, W9, 9, Y, X
    round G, H, A, B, C, D, E, F, W10, 10, X, Y
    round F, G, H, A, B, C, D, E, W11, 11, Y, X
    round E, F, G, H, A, B, C, D, W12, 12, X, Y
    round D, E, F, G, H, A, B, C, W13, 13, Y, X
    round C, D, E, F, G, H, A, B, W14, 14, X, Y
    round B, C, D, E, F, G, H, A, W15, 15, Y, X
    addi CONSTANT, CONSTANT, 16 * WORD_BYTES
    LOAD T, 0(CONSTANT)
    beqz T, .Ladd
    extend W0, W1, W9, W14
    extend W1, W2, W10, W15
    extend W2, W3, W11, W0
    extend W3, W4, W12, W1
    extend W4, W5, W13, W2
    extend W5, W6, W14, W3
    extend W6, W7, W15, W4
    extend W7, W8, W0, W5
    extend W8, W9, W1, W6
    extend W9, W10, W2, W7
    extend W10, W11, W3, W8
    extend W11, W12, W4, W9
    extend W12, W13, W5, W10
    extend W13, W14, W6, W11
    extend W14, W15, W7, W12
    extend W15, W0, W8, W13
    j .Lrounds

.Ladd:
    LOAD_X T, STATE(sp)
    feed_forward A, 0
    feed_forward B, 1
    feed_forward C, 2
    feed_forward D, 3
    feed_forward E, 4
    feed_forward F, 5
    feed_forward G, 6
    feed_forward H, 7
    LOAD_X T, DATA(sp)
    LOAD_X X, END(sp)
    addi T, T, BLOCK_BYTES
    STORE_X T, DATA(sp)
    bne T, X, .Lblock
    each_saved LOAD_X
    addi sp, sp, STACK_BYTES
.Lnothing:
    ret
    .size SHA2(compress), . - SHA2(compress)

    .section .rodata
    .balign WORD_BYTES
.Lround_constants:
    WORDS ROUND_CONSTANTS
    WORDS 0 /* no round constant is zero: the end */

    .section .note.GNU-stack, "", @progbits

#endif
