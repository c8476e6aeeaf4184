# Leaks that were planted, each with a twin that does the same without one. A line that leaks says so: `leak:` and what
# the secret reaches there. Every other line is clean.
#
# A function finds 64 secret bytes at s0, and room at s1. 64 bytes at s2 are public, as is all else.

    .macro SECRET
    mv a0, s0
    li a1, 64
    slt zero, a0, a1
    .endm

    .macro PUBLIC_ROOM
    mv a0, s1
    li a1, 256
    sltu zero, a0, a1
    .endm

    .section .text.init
    .globl _start
_start:
    la s0, secret
    la s1, room
    la s2, public
    la sp, stack_end
    li t0, 3 << 9
    csrs mstatus, t0
    SECRET
    la s3, functions
1:  ld t0, 0(s3)
    beqz t0, 2f
    jalr t0
    addi s3, s3, 8
    PUBLIC_ROOM
    j 1b
2:  li a0, 1
    la t0, tohost
    sd a0, 0(t0)
3:  j 3b

    .text
# A compare that ends early.
early_exit:
    li t3, 8
    mv t0, s0
    mv t1, s2
1:  lbu t4, 0(t0)
    lbu t5, 0(t1)
    bne t4, t5, 2f                      # leak: branch
    addi t0, t0, 1
    addi t1, t1, 1
    addi t3, t3, -1
    bnez t3, 1b
2:  ret
whole_compare:
    li t3, 8
    li t6, 0
    mv t0, s0
    mv t1, s2
1:  lbu t4, 0(t0)
    lbu t5, 0(t1)
    xor t4, t4, t5
    or t6, t6, t4
    addi t0, t0, 1
    addi t1, t1, 1
    addi t3, t3, -1
    bnez t3, 1b
    snez t6, t6
    sd t6, 0(s1)
    mv a0, s1
    li a1, 8
    sltu zero, a0, a1
    ld t6, 0(s1)
    bnez t6, 2f
2:  ret

# A table of 64 entries.
small_table:
    lbu t0, 1(s0)
    andi t0, t0, 63
    add t0, s2, t0
    lbu t0, 0(t0)                       # leak: load-address
    sb t0, 0(s1)
    ret
scanned_table:
    lbu t0, 1(s0)
    andi t0, t0, 63
    li t1, 0
    li t6, 0
1:  add t2, s2, t1
    lbu t2, 0(t2)
    xor t3, t1, t0
    addi t3, t3, -1
    srai t3, t3, 63
    and t2, t2, t3
    or t6, t6, t2
    addi t1, t1, 1
    li t4, 64
    bne t1, t4, 1b
    sb t6, 0(s1)
    ret

# A store to a secret place.
stored_at:
    lbu t0, 2(s0)
    andi t0, t0, 63
    add t0, s1, t0
    sb zero, 0(t0)                      # leak: store-address
    ret
stored_what:
    lbu t0, 2(s0)
    sb t0, 5(s1)
    ret

# A jump to a secret place.
jumped:
    lbu t0, 3(s0)
    andi t0, t0, 1
    slli t0, t0, 2
    lla t1, 1f
    add t1, t1, t0
    jr t1                               # leak: jump-target
1:  nop
    ret
jumped_by_mask:
    lbu t0, 3(s0)
    andi t0, t0, 0
    lla t1, 1f
    add t1, t1, t0
    jr t1
1:  ret

# A divisor.
divided:
    ld t0, 8(s0)
    li t1, 1000
    divu t1, t1, t0                     # leak: unlisted
    sd t1, 0(s1)
    ret
multiplied:
    ld t0, 8(s0)
    li t1, 1000
    mul t1, t1, t0
    sd t1, 0(s1)
    ret

# How far a shift goes, which matters where the shifter is serial, and what is shifted.
shifted_by:
    lbu t0, 8(s0)
    li t1, 1000
    sll t1, t1, t0
    sd t1, 0(s1)
    ret
shifted:
    ld t0, 8(s0)
    li t1, 13
    srl t0, t0, t1
    slli t0, t0, 5
    sd t0, 0(s1)
    ret

# Through memory and back.
through_memory:
    ld t0, 16(s0)
    sd t0, 32(s1)
    lbu t1, 33(s1)
    beqz t1, 1f                         # leak: branch
1:  ret
overwritten:
    ld t0, 16(s0)
    sd t0, 32(s1)
    sb zero, 33(s1)
    lbu t1, 33(s1)
    beqz t1, 1f
1:  ret

# Through a spilled register.
spilled:
    addi sp, sp, -16
    ld t0, 24(s0)
    sd t0, 0(sp)
    li t0, 0
    ld t2, 0(sp)
    addi sp, sp, 16
    bltz t2, 1f                         # leak: branch
1:  ret
spilled_beside:
    addi sp, sp, -16
    ld t0, 24(s0)
    sd t0, 0(sp)
    sd s2, 8(sp)
    ld t2, 8(sp)
    addi sp, sp, 16
    bltz t2, 1f
1:  ret

# Through the carry of a sum.
carried:
    lbu t0, 4(s0)
    li t1, 0x80
    add t0, t0, t1
    srli t0, t0, 8
    bnez t0, 1f                         # leak: branch
1:  ret
no_carry:
    lbu t0, 4(s0)
    slli t0, t0, 8
    addi t0, t0, 0x7f
    andi t0, t0, 0xff
    bnez t0, 1f
1:  ret

# Through a user's own instruction (pick t0, t1, t2: .insn r 0x0b, 0, 0).
own:
    lbu t1, 5(s0)
    li t0, 0
    li t2, 8
    .insn r 0x0b, 0, 0, t0, t1, t2
    add t0, t0, s2
    lbu t0, 0(t0)                       # leak: load-address
    ret
own_cleared:
    lbu t1, 5(s0)
    li t2, 8
    .insn r 0x0b, 0, 1, t0, t1, t2
    add t0, t0, s2
    lbu t0, 0(t0)
    ret

# A branch on a secret amount of a rotation.
rotated_branch:
    lw t0, 28(s0)
    andi t1, t0, 31
    rolw t2, t0, t1
    beqz t1, 1f                         # leak: branch
    sw t2, 0(s1)
1:  ret
rotated_by_constant:
    lw t0, 28(s0)
    roriw t2, t0, 7
    sw t2, 0(s1)
    ret

# The largest of two: by a branch, by masks.
larger_branch:
    ld t0, 32(s0)
    ld t1, 0(s2)
    bltu t0, t1, 1f                     # leak: branch
    mv t0, t1
1:  sd t0, 0(s1)
    ret
larger_select:
    ld t0, 32(s0)
    ld t1, 0(s2)
    sltu t2, t0, t1
    neg t2, t2
    xor t3, t0, t1
    and t3, t3, t2
    xor t0, t1, t3
    sd t0, 0(s1)
    ret

# A loop as often as a secret says.
secret_trips:
    lbu t0, 6(s0)
    andi t0, t0, 7
1:  addi t0, t0, -1
    bgtz t0, 1b                         # leak: branch
    ret
public_trips:
    lbu t0, 6(s0)
    xor t0, t0, t0
    addi t0, t0, 7
1:  addi t0, t0, -1
    bgtz t0, 1b
    ret

# Bit slicing against a table.
sliced_table:
    lbu t0, 7(s0)
    srli t0, t0, 4
    slli t0, t0, 2
    add t0, t0, s2
    lw t0, 0(t0)                        # leak: load-address
    ret
sliced:
    lbu t0, 7(s0)
    srli t1, t0, 1
    and t2, t0, t1
    xor t2, t2, t0
    not t2, t2
    sb t2, 0(s1)
    ret

# A pointer that is secret, and one that was declassified.
pointer:
    lbu t0, 8(s0)
    add t0, t0, s2
    andi t0, t0, -8
    ld t0, 0(t0)                        # leak: load-address
    ret
declassified:
    lbu t0, 8(s0)
    andi t0, t0, 56
    sd t0, 0(s1)
    mv a0, s1
    li a1, 8
    sltu zero, a0, a1
    ld t0, 0(s1)
    add t0, t0, s2
    ld t0, 0(t0)
    ret

# A comparison's result as an index.
compared:
    ld t0, 40(s0)
    sltiu t0, t0, 100
    slli t0, t0, 3
    add t0, t0, s2
    ld t0, 0(t0)                        # leak: load-address
    ret
compared_above:
    ld t0, 40(s0)
    srli t0, t0, 60
    sltiu t0, t0, 100
    slli t0, t0, 3
    add t0, t0, s2
    ld t0, 0(t0)
    ret

# Leading zeros.
normalised:
    ld t0, 48(s0)
    clz t1, t0                          # leak: unlisted
    andi t1, t1, 32
    bnez t1, 1f                         # leak: branch
1:  ret
never_zero:
    ld t0, 48(s0)
    bseti t0, t0, 63                    # leak: unlisted
    andi t1, t0, 0
    bnez t1, 1f
1:  ret

# The length of vectors.
secret_length:
    lbu t0, 9(s0)
    andi t0, t0, 15
    vsetvli t1, t0, e8, m1, ta, ma      # leak: vector-length
    vsetivli t1, 4, e8, m1, ta, ma
    ret
longest_anyway:
    lbu t0, 9(s0)
    ori t0, t0, 64
    vsetvli t1, t0, e8, m1, ta, ma
    vsetivli t1, 4, e8, m1, ta, ma
    ret

# A load by a secret mask.
masked_load:
    vsetivli t1, 8, e8, m1, ta, mu
    vle8.v v2, (s0)
    vmsne.vi v0, v2, 0
    vle8.v v3, (s2), v0.t               # leak: load-address
    ret
masked_after:
    vsetivli t1, 8, e8, m1, ta, mu
    vle8.v v2, (s0)
    vmsne.vi v0, v2, 0
    vle8.v v3, (s2)
    vmerge.vim v3, v3, 0, v0
    vse8.v v3, (s1)
    ret

# A gather by secret indices.
gathered:
    vsetivli t1, 8, e8, m1, ta, ma
    vle8.v v2, (s0)
    vle8.v v3, (s2)
    vrgather.vv v4, v3, v2              # leak: element-index
    ret
gathered_secrets:
    vsetivli t1, 8, e8, m1, ta, ma
    vle8.v v2, (s0)
    vid.v v3
    vrgather.vv v4, v2, v3
    vse8.v v4, (s1)
    ret

# Loads at secret offsets.
indexed:
    vsetivli t1, 4, e8, m1, ta, ma
    vle8.v v2, (s0)
    vand.vi v2, v2, 15
    vluxei8.v v3, (s2), v2              # leak: load-address
    ret
indexed_publicly:
    vsetivli t1, 4, e8, m1, ta, ma
    vid.v v2
    vluxei8.v v3, (s0), v2
    vse8.v v3, (s1)
    ret

# From a vector to a branch.
from_vector:
    vsetivli t1, 4, e32, m1, ta, ma
    vle32.v v2, (s0)
    vmv.x.s t0, v2
    bnez t0, 1f                         # leak: branch
1:  ret
slid_out:
    vsetivli t1, 4, e32, m1, ta, ma
    vle32.v v2, (s0)
    vmv.v.i v3, 0
    vslideup.vi v3, v2, 1
    vmv.x.s t0, v3
    bnez t0, 1f
1:  ret

# A slide by a secret amount.
slid:
    lbu t0, 10(s0)
    vsetivli t1, 8, e8, m1, ta, ma
    vle8.v v2, (s2)
    vslidedown.vx v3, v2, t0            # leak: element-index
    ret
slid_secrets:
    vsetivli t1, 8, e8, m1, ta, ma
    vle8.v v2, (s0)
    vslidedown.vi v3, v2, 3
    vse8.v v3, (s1)
    ret

# Elements counted.
counted:
    vsetivli t1, 8, e8, m1, ta, ma
    vle8.v v2, (s0)
    vmseq.vi v3, v2, 0
    vcpop.m t0, v3                      # leak: unlisted
    bnez t0, 1f                         # leak: branch
1:  ret
xored_with_itself:
    vsetivli t1, 8, e8, m1, ta, ma
    vle8.v v2, (s0)
    vxor.vv v2, v2, v2
    vmv.x.s t0, v2
    bnez t0, 1f
1:  ret

    .section .rodata
    .p2align 3
functions:
    .dword early_exit, whole_compare, small_table, scanned_table, stored_at, stored_what, jumped, jumped_by_mask
    .dword shifted_by, shifted
    .dword divided, multiplied, through_memory, overwritten, spilled, spilled_beside, carried, no_carry
    .dword own, own_cleared, rotated_branch, rotated_by_constant, larger_branch, larger_select
    .dword secret_trips, public_trips, sliced_table, sliced, pointer, declassified, compared, compared_above
    .dword normalised, never_zero, secret_length, longest_anyway, masked_load, masked_after, gathered, gathered_secrets
    .dword indexed, indexed_publicly, from_vector, slid_out, slid, slid_secrets, counted, xored_with_itself
    .dword 0

    .data
    .p2align 6
secret:
    .byte 0x11, 0x05, 0x33, 0x01, 0x90, 0x66, 0x07, 0x38, 0x09, 0x0a, 0x03, 0x0c, 0x0d, 0x0e, 0x0f, 0x10
    .byte 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2a, 0x2b, 0x2c, 0x2d, 0x2e, 0x2f, 0x30
    .byte 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x3a, 0x3b, 0x3c, 0x3d, 0x3e, 0x3f, 0x40
    .byte 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x4b, 0x4c, 0x4d, 0x4e, 0x4f, 0x50
public:
    .fill 512, 1, 0x11
room:
    .fill 512, 1, 0
    .p2align 4
    .fill 1024, 1, 0
stack_end:
    .section .tohost, "aw", @progbits
    .p2align 6
    .globl tohost
tohost:
    .dword 0
    .globl fromhost
fromhost:
    .dword 0
