# Secrets in floating-point numbers that integer registers hold (Zfinx), pairs of them on RV32 (Zdinx), marked as in
# planted.S. No list of instructions whose time is independent of data has one of these.

    .macro SECRET
    la a0, secret
    li a1, 16
    slt zero, a0, a1
    .endm

    .section .text.init
    .globl _start
_start:
    la sp, stack_end
    la s0, secret
    la s1, room
    SECRET
    la s3, functions
1:  lw t0, 0(s3)
    beqz t0, 2f
    # Each begins with 1.0 in a pair, and public numbers in the others.
    li a2, 0
    lui a3, 0x3ff00
    li a4, 0
    li a5, 0
    li a6, 0
    li a7, 0
    jalr t0
    addi s3, s3, 4
    j 1b
2:  li a0, 1
    la t0, tohost
    sw a0, 0(t0)
    sw zero, 4(t0)
3:  j 3b

    .text
# Either half of an operand is in both halves of a sum.
low_half:
    lw a2, 0(s0)
    fadd.d a4, a2, a2                   # leak: unlisted
    bnez a5, 1f                         # leak: branch
1:  ret
high_half:
    lw a3, 4(s0)
    fadd.d a4, a2, a2                   # leak: unlisted
    bnez a4, 1f                         # leak: branch
1:  ret
neighbours:
    lw a6, 0(s0)
    lw a1, 4(s0)
    fadd.d a4, a2, a2
    bnez a4, 1f
1:  bnez a5, 2f
2:  ret

# What was secret is overwritten, both halves of it.
overwritten:
    lw a4, 0(s0)
    lw a5, 4(s0)
    fadd.d a4, a2, a2
    bnez a4, 1f
1:  bnez a5, 2f
2:  ret
beside_what_is_overwritten:
    lw a6, 0(s0)
    fadd.d a4, a2, a2
    bnez a6, 1f                         # leak: branch
1:  ret

# The pair of x0 is zero, whatever is in ra.
zero:
    mv t1, ra
    lw ra, 0(s0)
    fadd.d a4, zero, a2
    mv ra, t1
    bnez a5, 1f
1:  ret

# From single precision to double, and back.
widened:
    lw a0, 0(s0)
    fcvt.d.s a4, a0                     # leak: unlisted
    bnez a5, 1f                         # leak: branch
1:  ret
narrowed:
    lw a3, 4(s0)
    fcvt.s.d a0, a2                     # leak: unlisted
    bnez a0, 1f                         # leak: branch
1:  ret
narrowed_beside:
    lw a1, 4(s0)
    fcvt.s.d a0, a2
    bnez a0, 1f
1:  ret

# A comparison, whose result is one register.
compared:
    lw a2, 0(s0)
    feq.d a4, a2, a2                    # leak: unlisted
    bnez a5, 1f
1:  bnez a4, 2f                         # leak: branch
2:  ret

# Single precision.
single:
    lw a0, 0(s0)
    fadd.s a1, a0, a0                   # leak: unlisted
    bnez a1, 1f                         # leak: branch
1:  ret
single_beside:
    lw a0, 0(s0)
    fadd.s a1, a3, a3
    bnez a1, 1f
1:  ret

# Through memory.
stored:
    lw a2, 0(s0)
    fadd.d a4, a2, a2                   # leak: unlisted
    sw a4, 0(s1)
    sw a5, 4(s1)
    lw t0, 4(s1)
    bnez t0, 1f                         # leak: branch
1:  ret

# The exception flags.
flags:
    csrw fflags, zero
    lw a2, 0(s0)
    fadd.d a4, a2, a2                   # leak: unlisted
    csrr t0, fflags
    bnez t0, 1f                         # leak: branch
1:  ret
flags_written:
    lw a2, 0(s0)
    fadd.d a4, a2, a2                   # leak: unlisted
    csrw fflags, zero
    csrr t0, fflags
    bnez t0, 1f
1:  ret

    .section .rodata
    .p2align 3
functions:
    .word low_half, high_half, neighbours, overwritten, beside_what_is_overwritten, zero, widened, narrowed
    .word narrowed_beside, compared, single, single_beside, stored, flags, flags_written, 0

    .data
    .p2align 4
secret:
    .byte 0x11, 0x05, 0x33, 0x01, 0x90, 0x66, 0x07, 0x38, 0x09, 0x0a, 0x03, 0x0c, 0x0d, 0x0e, 0x0f, 0x10
room:
    .fill 64, 1, 0
    .p2align 4
    .fill 256, 1, 0
stack_end:
    .section .tohost, "aw", @progbits
    .p2align 6
    .globl tohost
tohost:
    .dword 0
    .globl fromhost
fromhost:
    .dword 0
