/*
 * Key expansion of Rijndael with block and key of 256 bits by aes64ks1i, aes64ks2 and aes64im: AES-256's, continued.
 * The layout is that of paired_columns.h.
 *
 * Contract: rijndael.h. a0 = schedule, a1 = key; a key that is not aligned to words is copied first.
 * Clobbers a0, a1, a4 to a7, t0 to t4 (and what C may when the key is unaligned).
 * Constant time: no branch or address depends on the key.
 */
#include "paired_columns.h"

#define RK a0
#define KEY a1

/* Columns 2i and 2i + 1 of a round key. */
#define U0 a4
#define U1 a5
#define U2 a6
#define U3 a7

#define T t0
#define P0 t1
#define P1 t2
#define P2 t3
#define P3 t4

#define NO_ROTATION 10

.macro load_two u, column
    lw      T, 4*\column(KEY)
    lw      \u, 4*\column + 4(KEY)
    pack    \u, T, \u
.endm

.macro pair even, odd, low, high
    pack    \even, \low, \high
    srli    \odd, \low, 32
    srli    T, \high, 32
    pack    \odd, \odd, T
.endm

.macro put_pairs
    sd      P0, 0(RK)
    sd      P1, 8(RK)
    sd      P2, 16(RK)
    sd      P3, 24(RK)
    addi    RK, RK, ROUND_KEY_BYTES
.endm

.macro put
    pair    P0, P1, U0, U2
    pair    P2, P3, U1, U3
    put_pairs
.endm

/* InvMixColumns of whole columns, two at a time whichever they are. */
.macro put_inverse
    pair    P0, P1, U0, U2
    pair    P2, P3, U1, U3
    aes64im P0, P0
    aes64im P1, P1
    aes64im P2, P2
    aes64im P3, P3
    put_pairs
.endm

.macro next_from_substituted
    aes64ks2 U0, T, U0
    aes64ks2 U1, U0, U1
    aes64ks1i T, U1, NO_ROTATION
    aes64ks2 U2, T, U2
    aes64ks2 U3, U2, U3
.endm

.macro next step
    aes64ks1i T, U3, \step
    next_from_substituted
.endm

/* Beyond the ten round constants that aes64ks1i has: it adds its first, 1, and this the difference. */
.macro next_constant constant
    aes64ks1i T, U3, 0
    li      P0, \constant ^ 1
    slli    P0, P0, 32
    xor     T, T, P0
    next_from_substituted
.endm

.macro expand_function name, middle
    .globl  \name
    .type   \name, @function
    .balign 4
\name:
    andi    T, KEY, 3
    bnez    T, 9f
    load_two U0, 0
    load_two U1, 2
    load_two U2, 4
    load_two U3, 6
    put
    .irp step, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
    next    \step
    \middle
    .endr
    .irp constant, 0x6c, 0xd8, 0xab
    next_constant \constant
    \middle
    .endr
    next_constant 0x4d
    put
    ret
9:  tail    \name\()_bytewise
    .size   \name, . - \name
.endm

    .text
    expand_function rijndael_256_256_expand_key, put
    expand_function rijndael_256_256_expand_key_decrypt, put_inverse

    .section .note.GNU-stack, "", @progbits
