/*
 * The entry of a vector implementation: `chacha20_encrypt` for any key and iv, on the implementation's
 * `encrypt_with_aligned_key`, which takes the same arguments, key and iv aligned to words, and at least one byte.
 */
#ifndef CIPHERMARK_CHACHA20_VECTOR_ENTRY_ASM_H
#define CIPHERMARK_CHACHA20_VECTOR_ENTRY_ASM_H

#define OUT a0
#define IN a1
#define BYTES a2
#define KEY a3
#define IV a4

#if __riscv_xlen == 64
#define LOAD_X ld
#define STORE_X sd
#else
#define LOAD_X lw
#define STORE_X sw
#endif

    .text
    .globl  chacha20_encrypt
    .type   chacha20_encrypt, @function
    .balign 4
chacha20_encrypt:
    or      t0, KEY, IV
    andi    t0, t0, 3
    bnez    t0, 1f
    bnez    BYTES, encrypt_with_aligned_key
    ret

1:  beqz    BYTES, 2f
    addi    sp, sp, -64
    STORE_X ra, 48(sp)
    li      t0, 32
    addi    t1, sp, 32
    vsetvli zero, t0, e8, m2, ta, ma
    vle8.v  v0, (KEY)
    vse8.v  v0, (sp)
    vsetivli zero, 16, e8, m1, ta, ma
    vle8.v  v0, (IV)
    vse8.v  v0, (t1)
    mv      KEY, sp
    mv      IV, t1
    call    encrypt_with_aligned_key
    LOAD_X  ra, 48(sp)
    addi    sp, sp, 64
2:  ret
    .size   chacha20_encrypt, . - chacha20_encrypt

    .section .rodata
    .balign 4
expand_32_byte_k:
    .ascii  "expand 32-byte k"

/* \out = \in ^ \stream for \bytes > 0 bytes; clobbers all five. */
.macro xor_bytes out, in, stream, bytes, t
9:  vsetvli \t, \bytes, e8, m8, ta, ma
    vle8.v  v0, (\in)
    vle8.v  v8, (\stream)
    vxor.vv v0, v0, v8
    vse8.v  v0, (\out)
    add     \in, \in, \t
    add     \out, \out, \t
    add     \stream, \stream, \t
    sub     \bytes, \bytes, \t
    bnez    \bytes, 9b
.endm

#endif
