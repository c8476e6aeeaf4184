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

    .bss
    .p2align 4
frame_pointer:                       # the harness's sp: no register a kernel could spoil may hold it
    .space W

    .text

# a0: struct kernel_call; saves what C expects to find again and leaves the frame's address in memory.
    .macro ENTER
    addi sp, sp, -16 * W
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
    STORE a0, 15 * W(sp)
    la t0, frame_pointer
    STORE sp, 0(t0)
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
    addi sp, sp, 16 * W
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

# Every register the ABI saves holds a value of its own during a checked call: sp of the frame, xored with a number.
    .macro EACH_SAVED operation
    \operation s0, 1
    \operation s1, 2
    \operation s2, 3
    \operation s3, 4
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
    xori t1, sp, \number
    xor t1, t1, \register
    or t2, t2, t1
    .endm

    .globl checked_call
checked_call:
    ENTER
    EACH_SAVED MARK
    LOAD_ARGUMENTS a0
    jalr ra, 0(t1)
    mv t3, sp
    la t0, frame_pointer
    LOAD sp, 0(t0)
    li t2, 0
    EACH_SAVED COLLECT_CHANGES
    LOAD t0, 15 * W(sp)
    LOAD t0, STACK(t0)
    li a0, 2
    bne t0, t3, 1f
    snez a0, t2
1:  LEAVE

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

    .globl measure_call
    .globl ciphermark_roi_begin
    .globl ciphermark_roi_end
measure_call:
    ENTER
#if __riscv_xlen == 32
    READ_COUNTER s5, s6, instret
    READ_COUNTER s7, s8, cycle
#endif
    LOAD_ARGUMENTS a0
    csrr s3, cycle
ciphermark_roi_begin:
    csrr s1, instret
    jalr ra, 0(t1)
ciphermark_roi_end:
    csrr s2, instret
    csrr s4, cycle
    la t0, frame_pointer
    LOAD sp, 0(t0)
    LOAD a0, 15 * W(sp)
#if __riscv_xlen == 32
    READ_COUNTER s9, s10, instret
    STORE_DELTA INSTRUCTIONS, s5, s6, s1, s2, s9, s10
    READ_COUNTER s9, s10, cycle
    STORE_DELTA CYCLES, s7, s8, s3, s4, s9, s10
#else
    sub s1, s2, s1
    sd s1, INSTRUCTIONS(a0)
    sub s3, s4, s3
    sd s3, CYCLES(a0)
#endif
    LEAVE

    .globl empty_function
empty_function:
    ret

    .section .note.GNU-stack, "", @progbits
