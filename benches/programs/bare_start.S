# Reset and the HTIF mailbox of a bare machine; memory is zero at reset.

    .section .text.init, "ax"
    .globl _start
_start:
    la      sp, bare_stack_end
    li      t0, 0x6600                  # mstatus.FS and VS: floating point and vector on, where they exist
    csrs    mstatus, t0
    la      t0, trap
    csrw    mtvec, t0
    call    bare_main

    .p2align 2
trap:                                   # a fault ends the run with status 1
    la      t0, tohost
    li      t1, 3
1:  sd      t1, 0(t0)
    j       1b

# QEMU finds the mailbox by these symbols and insists on their size.
    .macro mailbox name
    .p2align 6
    .globl  \name
    .type   \name, @object
    .size   \name, 8
\name:
    .dword  0
    .endm

    .section .tohost, "aw", @progbits
    mailbox tohost
    mailbox fromhost

    .section .note.GNU-stack, "", @progbits
