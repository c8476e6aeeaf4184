# How a call is timed, as the harness does; and what may come before one: STORES, stores that a buffer still holds if
# there is no fence (NO_FENCE); and code with branches, whose predictions replace others.
#if __riscv_xlen == 64
#define STORE sd
#define LOAD ld
#define W 8
#else
#define STORE sw
#define LOAD lw
#define W 4
#endif
#ifndef STORES
#define STORES 0
#endif

    .option norvc
    .text
    .globl  timed                   # uint32_t timed(function, its arguments): cycles
timed:
    addi    sp, sp, -4 * W
    STORE   ra, 0 * W(sp)
    STORE   s0, 1 * W(sp)
    STORE   s1, 2 * W(sp)
    mv      t1, a0
    mv      a0, a1
    mv      a1, a2
    mv      a2, a3
    la      t0, sink
    .set    at, 0
    .rept   STORES
    STORE   t0, at(t0)
    .set    at, at + W
    .endr
#ifndef NO_FENCE
    fence
#endif
    .balign 16
    csrr    s1, mcycle
    csrr    s0, minstret
    jalr    ra, 0(t1)
    csrr    a1, minstret
    csrr    a0, mcycle
    sub     a0, a0, s1
    LOAD    ra, 0 * W(sp)
    LOAD    s0, 1 * W(sp)
    LOAD    s1, 2 * W(sp)
    addi    sp, sp, 4 * W
    ret

    .globl  empty
empty:
    ret

    .globl  branches
branches:
    .rept   512
    beqz    zero, 1f
    nop
    nop
1:
    .endr
    ret

    .bss
    .balign 64
sink:
    .space  64 * W
