/*
 * AES key expansion (FIPS 197, section 5.2) for encryption: the expanded key as words, in order.
 *
 * Contract: aes.h. a0 = schedule, a1 = key; a key that is not aligned to 4 bytes is copied first. AES-192 writes two
 * words more than it has.
 * Clobbers a0..a7, t0..t6.
 * NOT constant time: S-box look-ups at addresses that depend on the key.
 */
#include "tables.h"

#define RK a0
#define SBOX a2
#define A a3
#define B a4
#define C a5
#define RCON_END a6
#define RCON a7

#define W0 t0
#define W1 t1
#define W2 t2
#define W3 t3
#define W4 t4
#define W5 t5
#define W6 t6
#define W7 a1

    .section .rodata
    .type   round_constants, @object
round_constants:
    .byte   0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x1b, 0x36
    .size   round_constants, . - round_constants

    .text

/* to ^= SubWord(word). */
.macro add_substituted to, word
    andi    A, \word, 0xff
    srli    B, \word, 8
    srli    C, \word, 16
    andi    B, B, 0xff
    andi    C, C, 0xff
    add     A, A, SBOX
    add     B, B, SBOX
    add     C, C, SBOX
    lbu     A, 0(A)
    lbu     B, 0(B)
    lbu     C, 0(C)
    xor     \to, \to, A
    SRL32   A, \word, 24
    slli    B, B, 8
    add     A, A, SBOX
    lbu     A, 0(A)
    slli    C, C, 16
    xor     \to, \to, B
    slli    A, A, 24
    xor     \to, \to, C
    xor     \to, \to, A
.endm

/* to ^= SubWord(RotWord(word)) ^ the next round constant. */
.macro add_rotated_substituted to, word
    srli    A, \word, 8
    srli    B, \word, 16
    SRL32   C, \word, 24
    andi    A, A, 0xff
    andi    B, B, 0xff
    add     A, A, SBOX
    add     B, B, SBOX
    add     C, C, SBOX
    lbu     A, 0(A)
    lbu     B, 0(B)
    lbu     C, 0(C)
    xor     \to, \to, A
    andi    A, \word, 0xff
    slli    B, B, 8
    add     A, A, SBOX
    lbu     A, 0(A)
    slli    C, C, 16
    xor     \to, \to, B
    slli    A, A, 24
    lbu     B, 0(RCON)
    xor     \to, \to, C
    xor     \to, \to, A
    xor     \to, \to, B
    addi    RCON, RCON, 1
.endm

.macro expand_function name, steps
    .globl  \name
    .type   \name, @function
    .balign 4
\name:
    andi    A, a1, 3
    bnez    A, 9f
    lla     SBOX, aes_ttable_encryption + SBOX_OFFSET
    lla     RCON, round_constants
    addi    RCON_END, RCON, \steps
.endm

.macro expand_end name
    ret
9:  tail    \name\()_bytewise
    .size   \name, . - \name
.endm

    expand_function aes_128_expand_key, 10
    lw      W0, 0(a1)
    lw      W1, 4(a1)
    lw      W2, 8(a1)
    lw      W3, 12(a1)
    sw      W0, 0(RK)
    sw      W1, 4(RK)
    sw      W2, 8(RK)
    sw      W3, 12(RK)
1:  add_rotated_substituted W0, W3
    addi    RK, RK, 16
    xor     W1, W1, W0
    xor     W2, W2, W1
    xor     W3, W3, W2
    sw      W0, 0(RK)
    sw      W1, 4(RK)
    sw      W2, 8(RK)
    sw      W3, 12(RK)
    bne     RCON, RCON_END, 1b
    expand_end aes_128_expand_key

    expand_function aes_192_expand_key, 8
    lw      W0, 0(a1)
    lw      W1, 4(a1)
    lw      W2, 8(a1)
    lw      W3, 12(a1)
    lw      W4, 16(a1)
    lw      W5, 20(a1)
    sw      W0, 0(RK)
    sw      W1, 4(RK)
    sw      W2, 8(RK)
    sw      W3, 12(RK)
    sw      W4, 16(RK)
    sw      W5, 20(RK)
1:  add_rotated_substituted W0, W5
    addi    RK, RK, 24
    xor     W1, W1, W0
    xor     W2, W2, W1
    xor     W3, W3, W2
    xor     W4, W4, W3
    xor     W5, W5, W4
    sw      W0, 0(RK)
    sw      W1, 4(RK)
    sw      W2, 8(RK)
    sw      W3, 12(RK)
    sw      W4, 16(RK)
    sw      W5, 20(RK)
    bne     RCON, RCON_END, 1b
    expand_end aes_192_expand_key

    expand_function aes_256_expand_key, 7
    lw      W0, 0(a1)
    lw      W1, 4(a1)
    lw      W2, 8(a1)
    lw      W3, 12(a1)
    lw      W4, 16(a1)
    lw      W5, 20(a1)
    lw      W6, 24(a1)
    lw      W7, 28(a1)
    sw      W0, 0(RK)
    sw      W1, 4(RK)
    sw      W2, 8(RK)
    sw      W3, 12(RK)
    j       2f
1:  add_substituted W4, W3
    xor     W5, W5, W4
    xor     W6, W6, W5
    xor     W7, W7, W6
2:  sw      W4, 16(RK)
    sw      W5, 20(RK)
    sw      W6, 24(RK)
    sw      W7, 28(RK)
    add_rotated_substituted W0, W7
    addi    RK, RK, 32
    xor     W1, W1, W0
    xor     W2, W2, W1
    xor     W3, W3, W2
    sw      W0, 0(RK)
    sw      W1, 4(RK)
    sw      W2, 8(RK)
    sw      W3, 12(RK)
    bne     RCON, RCON_END, 1b
    expand_end aes_256_expand_key

    .section .note.GNU-stack, "", @progbits
