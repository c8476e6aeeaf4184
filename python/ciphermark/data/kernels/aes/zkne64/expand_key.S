/*
 * AES key expansion with aes64ks1i, aes64ks2 and aes64im (RISC-V Cryptography Extensions Volume I, section 2.4).
 *
 * Contract: aes.h. a0 = schedule, a1 = key. The layout is described in round_keys.h. A key that is not 8-byte
 * aligned is copied first.
 * Clobbers t0..t4 (and what C may when the key is unaligned).
 * Constant time: no branch or address depends on the key.
 */
#define SCRATCH t4

.macro expand_function name
    .globl  \name
    .type   \name, @function
    .balign 4
\name:
    andi    SCRATCH, a1, 7
    bnez    SCRATCH, 9f
.endm

.macro expand_end name
    ret
9:  tail    \name\()_bytewise
    .size   \name, . - \name
.endm

.macro put unit, number
    sd      \unit, 8*(\number)(a0)
.endm

.macro put_inverse unit, number
    aes64im SCRATCH, \unit
    put     SCRATCH, \number
.endm

/* \unit becomes its successor one key length on, through the S-box (step: round-constant number, 10 for none). */
.macro next_substituted unit, last, step
    aes64ks1i SCRATCH, \last, \step
    aes64ks2 \unit, SCRATCH, \unit
.endm

.macro next unit, predecessor
    aes64ks2 \unit, \predecessor, \unit
.endm

    .text

    expand_function aes_128_expand_key
    ld      t0, 0(a1)
    ld      t1, 8(a1)
    put     t0, 0
    put     t1, 1
    .irp step, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
    next_substituted t0, t1, \step
    put     t0, 2*\step + 2
    .if \step < 9
    next    t1, t0
    .endif
    .endr
    expand_end aes_128_expand_key

    expand_function aes_192_expand_key
    ld      t0, 0(a1)
    ld      t1, 8(a1)
    ld      t2, 16(a1)
    put     t0, 0
    put     t1, 1
    put     t2, 2
    .irp step, 0, 1, 2, 3, 4, 5, 6, 7
    next_substituted t0, t2, \step
    put     t0, 3*\step + 3
    .if \step < 7
    next    t1, t0
    next    t2, t1
    .endif
    .endr
    expand_end aes_192_expand_key

    expand_function aes_256_expand_key
    ld      t0, 0(a1)
    ld      t1, 8(a1)
    ld      t2, 16(a1)
    ld      t3, 24(a1)
    put     t0, 0
    put     t1, 1
    put     t2, 2
    put     t3, 3
    .irp step, 0, 1, 2, 3, 4, 5, 6
    next_substituted t0, t3, \step
    put     t0, 4*\step + 4
    .if \step < 6
    next    t1, t0
    next_substituted t2, t1, 10
    put     t2, 4*\step + 6
    next    t3, t2
    .endif
    .endr
    expand_end aes_256_expand_key

    expand_function aes_128_expand_key_decrypt
    ld      t0, 0(a1)
    ld      t1, 8(a1)
    put     t0, 0
    put     t1, 1
    .irp step, 0, 1, 2, 3, 4, 5, 6, 7, 8
    next_substituted t0, t1, \step
    next    t1, t0
    put_inverse t0, 2*\step + 2
    put_inverse t1, 2*\step + 3
    .endr
    next_substituted t0, t1, 9
    next    t1, t0
    put     t0, 20
    put     t1, 21
    expand_end aes_128_expand_key_decrypt

    expand_function aes_192_expand_key_decrypt
    ld      t0, 0(a1)
    ld      t1, 8(a1)
    ld      t2, 16(a1)
    put     t0, 0
    put     t1, 1
    put_inverse t2, 2
    .irp step, 0, 1, 2, 3, 4, 5, 6
    next_substituted t0, t2, \step
    next    t1, t0
    next    t2, t1
    put_inverse t0, 3*\step + 3
    put_inverse t1, 3*\step + 4
    put_inverse t2, 3*\step + 5
    .endr
    next_substituted t0, t2, 7
    next    t1, t0
    put     t0, 24
    put     t1, 25
    expand_end aes_192_expand_key_decrypt

    expand_function aes_256_expand_key_decrypt
    ld      t0, 0(a1)
    ld      t1, 8(a1)
    ld      t2, 16(a1)
    ld      t3, 24(a1)
    put     t0, 0
    put     t1, 1
    put_inverse t2, 2
    put_inverse t3, 3
    .irp step, 0, 1, 2, 3, 4, 5
    next_substituted t0, t3, \step
    next    t1, t0
    put_inverse t0, 4*\step + 4
    put_inverse t1, 4*\step + 5
    next_substituted t2, t1, 10
    next    t3, t2
    put_inverse t2, 4*\step + 6
    put_inverse t3, 4*\step + 7
    .endr
    next_substituted t0, t3, 6
    next    t1, t0
    put     t0, 28
    put     t1, 29
    expand_end aes_256_expand_key_decrypt

    .section .note.GNU-stack, "", @progbits
