# So many rounds of sixteen vector instructions on dependent registers: STEP(d, s), on elements of WIDTH at LMUL 1. With
# NUMBER, fa0 has these bits; with INDEX, v24 to v31 are multiples of eight of that width at LMUL 8, to be indices. With
# ARRAY, each round is a loop over that many elements of 32 bits instead, as long as `vsetvli` says: eight vector
# instructions for as many elements as a register has. At the end one full stop, by the proxied `write`: emulators that
# failed are told apart by its absence.

    .section .text
    .globl bare_main
bare_main:
    la      a1, buffer
    # Ordinary numbers of 32 bits, and of 64, in v26, v27, v30 and v31; every other element is active.
    vsetvli t0, zero, e64, m1, ta, ma
    li      t1, 0x5555555555555555
    vmv.v.x v0, t1
    li      t1, 0x3fa666663fa66666
    vmv.v.x v26, t1
    vmv.v.x v27, t1
    vmv.v.x v30, t1
    li      t1, 0x3eaaaaab3eaaaaab
    vmv.v.x v31, t1
#ifdef NUMBER
    li      t1, NUMBER
    fmv.d.x fa0, t1
#endif
#ifdef INDEX
    vsetvli t0, zero, INDEX, m8, ta, ma
    vid.v   v24
    vsll.vi v24, v24, 3
#endif
    li      a2, 24
    li      a0, ROUNDS
    vsetvli t0, zero, WIDTH, m1, ta, ma
1:
#ifdef ARRAY
    li      a2, ARRAY
    la      a3, buffer
    li      t1, 4 * ARRAY
    add     a4, a3, t1
3:  vsetvli t0, a2, e32, m1, ta, ma
    vle32.v v1, (a3)
    vle32.v v2, (a4)
    vadd.vv v3, v1, v2
    vxor.vv v4, v3, v1
    vsll.vi v5, v4, 3
    vadd.vv v5, v5, v2
    vse32.v v5, (a4)
    slli    t1, t0, 2
    add     a3, a3, t1
    add     a4, a4, t1
    sub     a2, a2, t0
    bnez    a2, 3b
#else
    .rept 2
    STEP(1, 9)
    STEP(2, 10)
    STEP(3, 11)
    STEP(4, 12)
    STEP(5, 13)
    STEP(6, 14)
    STEP(7, 15)
    STEP(8, 16)
    .endr
#endif
    addi    a0, a0, -1
    bnez    a0, 1b

    la      t0, request
    la      t1, tohost
    la      t2, fromhost
    sd      t0, 0(t1)
2:  ld      t3, 0(t2)
    beqz    t3, 2b
    li      t0, 1
    sd      t0, 0(t1)
3:  j       3b

    .data
    .p2align 6
request:
    .dword  64, 1, letter, 1, 0, 0, 0, 0
letter:
    .ascii  "."

    .bss
    .p2align 6
buffer:
    .space  16384

    .section .note.GNU-stack, "", @progbits
