# Secrets in vectors of floating-point numbers, and in the flags and the rounding mode, marked as in planted.S. No list of
# instructions whose time is independent of data has arithmetic of these.

    .macro SECRET
    mv a0, s0
    li a1, 16
    slt zero, a0, a1
    .endm

    .section .text.init
    .globl _start
_start:
    la sp, stack_end
    la s0, secret
    la s1, room
    li t0, 3 << 9 | 3 << 13
    csrs mstatus, t0
    SECRET
    la s3, functions
1:  ld t0, 0(s3)
    beqz t0, 2f
    # Each begins with two public vectors, one secret one, and no flags.
    csrw fcsr, zero
    vsetivli t1, 4, e32, m1, ta, ma
    vmv.v.i v1, 0
    vmv.v.i v2, 0
    vle32.v v3, (s0)
    jalr t0
    addi s3, s3, 8
    j 1b
2:  li a0, 1
    la t0, tohost
    sd a0, 0(t0)
3:  j 3b

    .text
summed:
    vfadd.vv v4, v1, v3                 # leak: unlisted
    vmv.x.s t0, v4
    bnez t0, 1f                         # leak: branch
1:  ret
summed_beside:
    vfadd.vv v4, v1, v2
    vmv.x.s t0, v4
    bnez t0, 1f
1:  ret

summed_partly:
    vmv.v.v v4, v3
    vsetivli t1, 2, e32, m1, tu, ma
    vfadd.vv v4, v1, v2
    vsetivli t1, 4, e32, m1, ta, ma
    vmv.x.s t0, v4
    bnez t0, 1f
1:  vslidedown.vi v4, v4, 2
    vmv.x.s t0, v4
    bnez t0, 2f                         # leak: branch
2:  ret
compared:
    vmv.v.v v0, v3
    vmflt.vv v0, v1, v2
    vmv.x.s t0, v0
    andi t1, t0, 15
    bnez t1, 1f
1:  andi t1, t0, 16
    bnez t1, 2f                         # leak: branch
2:  ret

# The exception flags.
flags:
    vfadd.vv v4, v1, v3                 # leak: unlisted
    csrr t0, fflags
    bnez t0, 1f                         # leak: branch
1:  ret
rounding_mode:
    vfadd.vv v4, v1, v3                 # leak: unlisted
    csrr t0, frm
    bnez t0, 1f
1:  vfadd.vv v4, v1, v2
    vmv.x.s t0, v4
    bnez t0, 2f
2:  ret

# A rounding mode that is secret, and one that is not, though flags beside it are.
rounded_by_secret:
    lbu t0, 0(s0)
    andi t0, t0, 3
    csrw frm, t0
    vfadd.vv v4, v1, v2
    csrw frm, zero
    vmv.x.s t0, v4
    bnez t0, 1f                         # leak: branch
1:  ret
flagged_by_secret:
    lbu t0, 0(s0)
    csrw fflags, t0
    vfadd.vv v4, v1, v2
    vmv.x.s t0, v4
    bnez t0, 1f
1:  csrr t0, frm
    bnez t0, 2f
2:  csrr t0, fcsr
    srli t1, t0, 5
    bnez t1, 3f
3:  bnez t0, 4f                         # leak: branch
4:  ret

# A reduction.
reduced:
    vfredusum.vs v4, v3, v1             # leak: unlisted
    vfmv.f.s ft0, v4                    # leak: unlisted
    fmv.x.w t0, ft0                     # leak: unlisted
    bnez t0, 1f                         # leak: branch
1:  ret

    .section .rodata
    .p2align 3
functions:
    .dword summed, summed_beside, summed_partly, compared, flags, rounding_mode, rounded_by_secret, flagged_by_secret, reduced, 0

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
