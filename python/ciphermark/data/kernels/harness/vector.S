# See vector.h. Words instead of mnemonics: the harness's own ISA has no vectors, whatever the kernel's has.

    .text
    .globl vector_bits
vector_bits:
    csrr a0, 0xc22                   # vlenb
    slli a0, a0, 3
    ret

    .globl spoil_vector_state
spoil_vector_state:
    li t1, 0xa5
    .word 0x0c3072d7                 # vsetvli t0, zero, e8, m8, ta, ma
    .word 0x5e034057                 # vmv.v.x v0, t1
    .word 0x5e034457                 # vmv.v.x v8, t1
    .word 0x5e034857                 # vmv.v.x v16, t1
    .word 0x5e034c57                 # vmv.v.x v24, t1
    .word 0xcc70f057                 # vsetivli zero, 1, e8, mf2, ta, ma
    ret

    .section .note.GNU-stack, "", @progbits
