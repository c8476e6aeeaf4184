# Reset, trap entry, the HTIF mailbox and an empty job.

# Emulators begin at the lowest address of RAM. Above these words is the kernel's stack: one that overflows spoils them, or
# reaches below RAM and traps.
    .section .text.init, "ax"
    .globl _start
    .globl ciphermark_stack_sentinel
_start:
    j begin
    .p2align 2
ciphermark_stack_sentinel:
    .fill 15, 4, 0x5ca1ab1e

    .text
begin:
    csrr t0, mhartid
1:  bnez t0, 1b                      # one hart measures; others, if any, wait for ever
    la sp, ciphermark_stack_end
    li t0, 0x1e600                   # mstatus.FS, VS and XS: floating point, vector and custom units on, where they exist
    csrs mstatus, t0
    la t0, trap_entry
    csrw mtvec, t0
    la t0, ciphermark_bss_begin
    la t1, ciphermark_bss_end
2:  bgeu t0, t1, 3f
    sw zero, 0(t0)
    addi t0, t0, 4
    j 2b
3:  call no_kernel_runs
    call main
    call platform_exit

# A kernel's fault ends the run; the harness's stack is free to be reused from its top. Some cores take only multiples of
# 256 for mtvec.
    .p2align 8
trap_entry:
    la sp, ciphermark_stack_end
    call no_kernel_runs
    csrr a0, mcause
    csrr a1, mepc
    csrr a2, mtval
    call report_trap

no_kernel_runs:
    la t0, ciphermark_frame_pointer
    sw zero, 0(t0)
    sw zero, 4(t0)
    ret

# QEMU finds the mailbox by these symbols and insists on their size.
    .section .tohost, "aw", @progbits
    .p2align 6
    .globl tohost
    .type tohost, @object
    .size tohost, 8
tohost:
    .dword 0
    .p2align 6
    .globl fromhost
    .type fromhost, @object
    .size fromhost, 8
fromhost:
    .dword 0

    .section .job, "a", @progbits
    .p2align 6
    .globl ciphermark_job
ciphermark_job:
    .word 0x424a4d43, 4, 52, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
