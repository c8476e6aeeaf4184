/*
 * Registers of the modes that take four blocks at a time, and their frame. Everything of the caller's that
 * `aes64_encrypt4_*` and `aes64_decrypt4_*` keep stands in a0..a6 and s6..s9.
 */
#define OUT a0
#define IN a1
#define BYTES a2
#define IV a3
#define RK a4
#define FOUR_BLOCKS a5 /* aes64_encrypt4_N or aes64_decrypt4_N, called with LINK */
#define ONE_BLOCK a6   /* aes_N_block or aes_N_block_decrypt: clobbers t0..t6, leaves its output in t0, t1 */
#define T a7
#define LINK t0

#define X0 t1 /* block i is X(2i), X(2i + 1) */
#define X1 t2
#define X2 t3
#define X3 t4
#define X4 t5
#define X5 t6
#define X6 s0
#define X7 s1
#define K0 s2
#define K1 s3
#define K2 s4
#define K3 s5

/* Frame for as many of s0..s9 as are named by `count`. */
.macro save_registers count
    addi    sp, sp, -80
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
    .if \n < \count
    sd      s\n, 8*\n(sp)
    .endif
    .endr
.endm

.macro restore_registers count
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
    .if \n < \count
    ld      s\n, 8*\n(sp)
    .endif
    .endr
    addi    sp, sp, 80
.endm

.macro load_four
    ld      X0, 0(IN)
    ld      X1, 8(IN)
    ld      X2, 16(IN)
    ld      X3, 24(IN)
    ld      X4, 32(IN)
    ld      X5, 40(IN)
    ld      X6, 48(IN)
    ld      X7, 56(IN)
.endm

.macro store_four
    sd      X0, 0(OUT)
    sd      X1, 8(OUT)
    sd      X2, 16(OUT)
    sd      X3, 24(OUT)
    sd      X4, 32(OUT)
    sd      X5, 40(OUT)
    sd      X6, 48(OUT)
    sd      X7, 56(OUT)
.endm

/* The entry of a mode that has an IV: unaligned buffers go to C. */
.macro mode_with_iv name, mode, four, one
    .globl  \name
    .type   \name, @function
    .balign 4
\name:
    or      t0, OUT, IN
    or      t0, t0, IV
    andi    t0, t0, 7
    bnez    t0, 9f
    lla     FOUR_BLOCKS, \four
    lla     ONE_BLOCK, \one
    j       \mode
9:  tail    \name\()_bytewise
    .size   \name, . - \name
.endm
