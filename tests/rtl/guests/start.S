# Calls main with a stack, and ends the run with its result; a trap ends it with 99.
    .section .text.start, "ax"
    .globl _start
_start:
    la t0, trapped
    csrw mtvec, t0
    la sp, stack_top
    call main
finish:
    li t0, 0x60000000
    sw a0, 8(t0)
1:  j 1b
    .balign 256
trapped:
    li a0, 99
    j finish

    .bss
    .balign 16
    .zero 16384
stack_top:
