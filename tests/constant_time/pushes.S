# Secrets that pushes and pops of several registers move (Zcmp), for both register widths, marked as in planted.S.
#
# After `cm.push {ra, s0-s1}`, s1 is topmost and ra lowest.

#if __riscv_xlen == 64
#define ld ld
#define sd sd
#define WORD 8
#define FRAME 32
#define TOP 24
#else
#define ld lw
#define sd sw
#define WORD 4
#define FRAME 16
#define TOP 12
#endif

    .macro SECRET
    la a0, secret
    li a1, 16
    slt zero, a0, a1
    .endm

    .macro PUBLIC_STACK
    la a0, stack
    li a1, 1024
    sltu zero, a0, a1
    .endm

    .section .text.init
    .globl _start
_start:
    la sp, stack_end
    SECRET
    la s3, functions
1:  ld t0, 0(s3)
    beqz t0, 2f
    jalr t0
    addi s3, s3, WORD
    PUBLIC_STACK
    j 1b
2:  li a0, 1
    la t0, tohost
    sw a0, 0(t0)
    sw zero, 4(t0)
3:  j 3b

    .text
# Each keeps its return address, and then has a secret in s1 and none in s0.
    .macro ENTER
    cm.push {ra, s0-s1}, -FRAME
    la t0, secret
    ld s1, 0(t0)
    li s0, 5
    .endm

    .macro LEAVE
    li s1, 0
    cm.popret {ra, s0-s1}, FRAME
    .endm

popped:
    ENTER
    cm.push {ra, s0-s1}, -FRAME
    li s0, 0
    li s1, 0
    bnez s1, 1f
1:  cm.pop {ra, s0-s1}, FRAME
    bnez s0, 2f
2:  bnez s1, 3f                         # leak: branch
3:  LEAVE
popped_after_clearing:
    ENTER
    cm.push {ra, s0-s1}, -FRAME
    sd zero, TOP(sp)
    cm.pop {ra, s0-s1}, FRAME
    bnez s1, 1f
1:  LEAVE

# Read where it was pushed.
loaded:
    ENTER
    cm.push {ra, s0-s1}, -FRAME
    ld t0, TOP(sp)
    bnez t0, 1f                         # leak: branch
1:  cm.pop {ra, s0-s1}, FRAME
    LEAVE
loaded_beside:
    ENTER
    cm.push {ra, s0-s1}, -FRAME
    ld t0, TOP-WORD(sp)
    bnez t0, 1f
1:  ld t0, TOP-2*WORD(sp)
    bnez t0, 2f
2:  cm.pop {ra, s0-s1}, FRAME
    LEAVE

# Fewer registers are popped than were pushed: the secret becomes s0.
popped_into_another:
    ENTER
    cm.push {ra, s0-s1}, -FRAME
    li s1, 0
    addi sp, sp, FRAME-16
    cm.pop {ra, s0}, 16
    bnez s0, 1f                         # leak: branch
1:  LEAVE
popped_beside:
    ENTER
    cm.push {ra, s0-s1}, -FRAME
    li s1, 0
    addi sp, sp, FRAME-16
    cm.pop {ra, s0}, 16
    bnez s1, 1f
1:  LEAVE

# The address to return to depends on a secret, which has this bit clear.
returned_by_secret:
    ENTER
    la ra, 1f
    andi t0, s1, 2
    add ra, ra, t0
    cm.push {ra, s0-s1}, -FRAME
    cm.popret {ra, s0-s1}, FRAME        # leak: jump-target
1:  LEAVE
returned:
    ENTER
    la ra, 1f
    cm.push {ra, s0-s1}, -FRAME
    cm.popret {ra, s0-s1}, FRAME
1:  LEAVE

# What is returned is zero.
returned_zero:
    ENTER
    la ra, 1f
    mv a0, s1
    cm.push {ra, s0-s1}, -FRAME
    cm.popretz {ra, s0-s1}, FRAME
1:  bnez a0, 2f
2:  LEAVE
returned_secret:
    ENTER
    la ra, 1f
    mv a0, s1
    cm.push {ra, s0-s1}, -FRAME
    cm.popret {ra, s0-s1}, FRAME
1:  bnez a0, 2f                         # leak: branch
2:  LEAVE

# Moves of two registers.
moved:
    ENTER
    mv a0, s0
    mv a1, s1
    li s1, 0
    cm.mvsa01 s1, s0
    bnez s0, 1f                         # leak: branch
1:  LEAVE
moved_beside:
    ENTER
    mv a0, s0
    mv a1, s1
    cm.mvsa01 s1, s0
    bnez s1, 1f
1:  cm.mva01s s0, s1
    bnez a1, 2f
2:  LEAVE
moved_back:
    ENTER
    cm.mva01s s0, s1
    bnez a1, 1f                         # leak: branch
1:  LEAVE

    .section .rodata
    .p2align 3
functions:
    .irp name, popped, popped_after_clearing, loaded, loaded_beside, popped_into_another, popped_beside
    .dc.a \name
    .endr
    .irp name, returned_by_secret, returned, returned_zero, returned_secret, moved, moved_beside, moved_back, 0
    .dc.a \name
    .endr

    .data
    .p2align 4
secret:
    .byte 0x11, 0x05, 0x33, 0x01, 0x90, 0x66, 0x07, 0x38, 0x09, 0x0a, 0x03, 0x0c, 0x0d, 0x0e, 0x0f, 0x10
stack:
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
