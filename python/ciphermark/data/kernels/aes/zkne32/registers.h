/*
 * Registers that the modes and the block functions share.
 * aes32_encrypt1_N and aes32_decrypt1_N work on X0..X3 and clobber Y0..Y3.
 * aes32_encrypt2_N and aes32_decrypt2_N work on X0..X3 and U0..U3 and clobber Y0..Y3 and V0..V3.
 */
#define OUT a0
#define IN a1
#define RK a2
#define IV a3
#define END a4
#define TWO_BLOCKS s0 /* aes32_*crypt2_N; comes in a5 */
#define ONE_BLOCK a6  /* aes32_*crypt1_N */
#define LINK t0

#define X0 t1
#define X1 t2
#define X2 t3
#define X3 t4
#define Y0 t5
#define Y1 t6
#define Y2 a5
#define Y3 a7
#define U0 s1
#define U1 s2
#define U2 s3
#define U3 s4
#define V0 s5
#define V1 s6
#define V2 s7
#define V3 s8

.macro load_block x0, x1, x2, x3, offset
    lw      \x0, \offset(IN)
    lw      \x1, \offset + 4(IN)
    lw      \x2, \offset + 8(IN)
    lw      \x3, \offset + 12(IN)
.endm

.macro store_block x0, x1, x2, x3, offset
    sw      \x0, \offset(OUT)
    sw      \x1, \offset + 4(OUT)
    sw      \x2, \offset + 8(OUT)
    sw      \x3, \offset + 12(OUT)
.endm

.macro add_block x0, x1, x2, x3, a0, a1, a2, a3
    xor     \x0, \x0, \a0
    xor     \x1, \x1, \a1
    xor     \x2, \x2, \a2
    xor     \x3, \x3, \a3
.endm

/* Frame for s0..s11 (as many as `count`) and ra. */
.macro save_registers count
    addi    sp, sp, -64
    sw      ra, 48(sp)
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    .if \n < \count
    sw      s\n, 4*\n(sp)
    .endif
    .endr
.endm

.macro restore_registers count
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    .if \n < \count
    lw      s\n, 4*\n(sp)
    .endif
    .endr
    lw      ra, 48(sp)
    addi    sp, sp, 64
.endm

/* The entry of a mode: bytes to END, the schedule from where the call has it to RK; unaligned buffers go to C. */
.macro mode_function name, mode, has_iv, two, one
    .globl  \name
    .type   \name, @function
    .balign 4
\name:
    or      t0, a0, a1
    .if \has_iv
    or      t0, t0, a3
    .endif
    andi    t0, t0, 3
    bnez    t0, 9f
    mv      t0, a2
    .if \has_iv
    mv      RK, a4
    .else
    mv      RK, a3
    .endif
    mv      END, t0
    lla     a5, \two
    lla     ONE_BLOCK, \one
    j       \mode
9:  tail    \name\()_bytewise
    .size   \name, . - \name
.endm
