# The two ways into a kernel. See measure.h for the contract and the structure's layout.

#if __riscv_xlen == 32
#define LOAD lw
#define STORE sw
#define W 4
#else
#define LOAD ld
#define STORE sd
#define W 8
#endif

#define FUNCTION 0
#define ARGUMENT(i) ((1 + (i)) * W)
#define STACK (9 * W)
#define INSTRUCTIONS (10 * W)
#define CYCLES (10 * W + 8)

# A frame: what C expects to find again, the call, and the counters before it.
#define CALL (15 * W)
#define BEGIN (16 * W)
#define FRAME (20 * W)

# enum abi_breach
#define STACK_POINTER 2

# enum failure
#define FAILURE_HARNESS_STACK 8
#define FAILURE_REENTRY 9

    .text

# a0: struct kernel_call; saves what C expects to find again and leaves the frame's address in memory, since no register
# that a kernel could spoil may hold it. While it is there a kernel runs, which may not come here.
    .macro ENTER
    la t0, ciphermark_frame_pointer
    LOAD t1, 0(t0)
    bnez t1, entered_by_kernel
    addi sp, sp, -FRAME
    STORE ra, 0 * W(sp)
    STORE s0, 1 * W(sp)
    STORE s1, 2 * W(sp)
    STORE s2, 3 * W(sp)
    STORE s3, 4 * W(sp)
    STORE s4, 5 * W(sp)
    STORE s5, 6 * W(sp)
    STORE s6, 7 * W(sp)
    STORE s7, 8 * W(sp)
    STORE s8, 9 * W(sp)
    STORE s9, 10 * W(sp)
    STORE s10, 11 * W(sp)
    STORE s11, 12 * W(sp)
    STORE gp, 13 * W(sp)
    STORE tp, 14 * W(sp)
    STORE a0, CALL(sp)
    STORE sp, 0(t0)
    .endm

# Copies the harness's stack, from the frame to beyond the frame's address; spoils t0 to t4. Both ends are multiples of
# 16 bytes, so that words go in pairs.
    .macro KEEP_STACK
    mv t0, sp
    la t1, ciphermark_stack_top
    la t2, ciphermark_stack_copy
0:  LOAD t3, 0(t0)
    LOAD t4, W(t0)
    STORE t3, 0(t2)
    STORE t4, W(t2)
    addi t0, t0, 2 * W
    addi t2, t2, 2 * W
    bne t0, t1, 0b
    .endm

# Back from a kernel: a0 = what it did to the stack pointer or to the registers that `marked` names. Another return
# address or anything else on the harness's stack ends the run. Keeps t1 and t2.
    .macro RETURN_FROM_KERNEL marked
    mv t3, sp
    la t0, ciphermark_frame_pointer
    LOAD sp, 0(t0)
    li t4, 0
    \marked COLLECT_CHANGES
    mv t5, sp
    la t6, ciphermark_stack_copy
    la a3, ciphermark_stack_top
0:  LOAD a1, 0(t5)
    LOAD a2, 0(t6)
    bne a1, a2, stack_changed
    LOAD a1, W(t5)
    LOAD a2, W(t6)
    bne a1, a2, stack_changed
    addi t6, t6, 2 * W
    addi t5, t5, 2 * W
    bne t5, a3, 0b
    LOAD a1, CALL(sp)
    LOAD a1, STACK(a1)
    li a0, STACK_POINTER
    bne a1, t3, 1f
    snez a0, t4
1:  STORE zero, 0(t0)
    .endm

    .macro LEAVE
    LOAD ra, 0 * W(sp)
    LOAD s0, 1 * W(sp)
    LOAD s1, 2 * W(sp)
    LOAD s2, 3 * W(sp)
    LOAD s3, 4 * W(sp)
    LOAD s4, 5 * W(sp)
    LOAD s5, 6 * W(sp)
    LOAD s6, 7 * W(sp)
    LOAD s7, 8 * W(sp)
    LOAD s8, 9 * W(sp)
    LOAD s9, 10 * W(sp)
    LOAD s10, 11 * W(sp)
    LOAD s11, 12 * W(sp)
    LOAD gp, 13 * W(sp)
    LOAD tp, 14 * W(sp)
    addi sp, sp, FRAME
    ret
    .endm

    .macro LOAD_ARGUMENTS call
    LOAD sp, STACK(\call)
    LOAD t1, FUNCTION(\call)
    LOAD a1, ARGUMENT(1)(\call)
    LOAD a2, ARGUMENT(2)(\call)
    LOAD a3, ARGUMENT(3)(\call)
    LOAD a4, ARGUMENT(4)(\call)
    LOAD a5, ARGUMENT(5)(\call)
    LOAD a6, ARGUMENT(6)(\call)
    LOAD a7, ARGUMENT(7)(\call)
    LOAD a0, ARGUMENT(0)(\call)
    .endm

# Every register the ABI saves holds a value of its own during a call: sp of the frame, xored with a number. In a timed
# one s1 and s3 hold the counters.
    .macro EACH_SAVED operation
    EACH_BUT_COUNTERS \operation
    \operation s1, 2
    \operation s3, 4
    .endm

    .macro EACH_BUT_COUNTERS operation
    \operation s0, 1
    \operation s2, 3
    \operation s4, 5
    \operation s5, 6
    \operation s6, 7
    \operation s7, 8
    \operation s8, 9
    \operation s9, 10
    \operation s10, 11
    \operation s11, 12
    \operation gp, 13
    \operation tp, 14
    .endm

    .macro MARK register, number
    xori \register, sp, \number
    .endm

    .macro COLLECT_CHANGES register, number
    xori t5, sp, \number
    xor t5, t5, \register
    or t4, t4, t5
    .endm

    .globl checked_call
    .globl ciphermark_call_begin
    .globl ciphermark_call_end
checked_call:
    ENTER
    KEEP_STACK
    EACH_SAVED MARK
    LOAD_ARGUMENTS a0
ciphermark_call_begin:
    jalr ra, 0(t1)
ciphermark_call_end:
    RETURN_FROM_KERNEL EACH_SAVED
    LEAVE

entered_by_kernel:
    li a0, FAILURE_REENTRY
    j end_run

stack_changed:
    li a0, FAILURE_HARNESS_STACK
end_run:
    la t0, ciphermark_frame_pointer
    STORE zero, 0(t0)
    la sp, ciphermark_stack_end
    call report_misconduct

#if __riscv_xlen == 32
# A 64-bit counter in two halves that belong together.
    .macro READ_COUNTER high, low, csr
0:  csrr \high, \csr\()h
    csrr \low, \csr
    csrr t0, \csr\()h
    bne \high, t0, 0b
    .endm

# a0 = call; `begin` was read after (begin_high:earlier), `end` before (end_high:later).
    .macro STORE_DELTA offset, begin_high, earlier, begin, end, end_high, later
    sltu t0, \begin, \earlier
    add \begin_high, \begin_high, t0
    sltu t0, \later, \end
    sub \end_high, \end_high, t0
    sub t0, \end, \begin
    sltu t1, \end, \begin
    sub t2, \end_high, \begin_high
    sub t2, t2, t1
    sw t0, \offset(a0)
    sw t2, \offset + 4(a0)
    .endm
#endif

# The machine's own counters, since not every core shows them as cycle and instret.
    .globl measure_call
    .globl ciphermark_roi_begin
    .globl ciphermark_roi_end
measure_call:
    ENTER
#if __riscv_xlen == 32
    READ_COUNTER s5, s6, minstret
    READ_COUNTER s7, s8, mcycle
    sw s5, BEGIN(sp)
    sw s6, BEGIN + 4(sp)
    sw s7, BEGIN + 8(sp)
    sw s8, BEGIN + 12(sp)
#endif
    KEEP_STACK
    EACH_BUT_COUNTERS MARK
    LOAD_ARGUMENTS a0
# The kernel does not wait for our stores, where they go through a buffer, and where it is fetched from does not move
# with the code above.
    fence
    .balign 16
    csrr s3, mcycle
ciphermark_roi_begin:
    csrr s1, minstret
    jalr ra, 0(t1)
ciphermark_roi_end:
    csrr t1, minstret
    csrr t2, mcycle
    RETURN_FROM_KERNEL EACH_BUT_COUNTERS
    mv s0, a0
    mv s2, t1
    mv s4, t2
    LOAD a0, CALL(sp)
#if __riscv_xlen == 32
    lw s5, BEGIN(sp)
    lw s6, BEGIN + 4(sp)
    lw s7, BEGIN + 8(sp)
    lw s8, BEGIN + 12(sp)
    READ_COUNTER s9, s10, minstret
    STORE_DELTA INSTRUCTIONS, s5, s6, s1, s2, s9, s10
    READ_COUNTER s9, s10, mcycle
    STORE_DELTA CYCLES, s7, s8, s3, s4, s9, s10
#else
    sub s1, s2, s1
    sd s1, INSTRUCTIONS(a0)
    sub s3, s4, s3
    sd s3, CYCLES(a0)
#endif
    mv a0, s0
    LEAVE

    .globl empty_function
empty_function:
    ret

    .section .note.GNU-stack, "", @progbits
