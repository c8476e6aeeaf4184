/*
 * ChaCha20 encryption with XChaChaV4: pairs of blocks (two_blocks.S), then one block on rows.h, then the rest in C.
 *
 * Source: RFC 8439. Contract: chacha20.h; clobbers what the standard calling convention allows.
 * Constant time: no table is indexed and no branch taken by data.
 */
#include "rows.h"

#define OUT a0
#define IN a1
#define BYTES a2
#define KEY a3
#define IV a4
#define INITIAL_D0 t6

.macro xor_block x, t, offset
    ld      \t, \offset(IN)
    xor     \x, \x, \t
    sd      \x, \offset(OUT)
.endm

.macro finish x, from, from_offset, offset
    ld      T, \from_offset(\from)
    add_words \x, \x, T
    xor_block \x, T, \offset
.endm

    .text
    .globl  chacha20_encrypt
    .type   chacha20_encrypt, @function
    .balign 4
chacha20_encrypt:
    or      t0, OUT, IN
    or      t1, KEY, IV
    or      t0, t0, t1
    andi    t0, t0, 7
    bnez    t0, 1f
    andi    t0, BYTES, -128
    bnez    t0, 2f
    andi    t0, BYTES, 64
    bnez    t0, last_block
1:  li      a5, 0
    j       chacha20_encrypt_bytewise
2:  j       chacha20_encrypt_pairs
    .size   chacha20_encrypt, . - chacha20_encrypt

/* As chacha20_encrypt, when an odd number of whole blocks is given and `out` and `in` have advanced to the last. */
    .globl  chacha20_encrypt_last_block
    .type   chacha20_encrypt_last_block, @function
    .balign 4
chacha20_encrypt_last_block:
last_block:
    lla     T, constants
    ld      A0, 0(T)
    ld      A1, 8(T)
    ld      B0, 0(KEY)
    ld      B1, 8(KEY)
    ld      C0, 16(KEY)
    ld      C1, 24(KEY)
    ld      D0, 0(IV)
    ld      D1, 8(IV)
    srli    T, BYTES, 6
    addi    T, T, -1
    add     T, T, D0
    chacha.packhl INITIAL_D0, T, D0
    two_quarter_rounds A0, B0, C0, D0, A0, B0, C0, INITIAL_D0
    two_quarter_rounds A1, B1, C1, D1, A1, B1, C1, D1
    remaining_rounds_of_rows
    add_words D0, D0, INITIAL_D0
    xor_block D0, T, 48
    lla     D0, constants
    finish  A0, D0, 0, 0
    finish  A1, D0, 8, 8
    finish  B0, KEY, 0, 16
    finish  B1, KEY, 8, 24
    finish  C0, KEY, 16, 32
    finish  C1, KEY, 24, 40
    finish  D1, IV, 8, 56
    andi    t0, BYTES, 63
    bnez    t0, 3f
    ret
3:  srli    a5, BYTES, 6
    mv      BYTES, t0
    addi    OUT, OUT, 64
    addi    IN, IN, 64
    j       chacha20_encrypt_bytewise
    .size   chacha20_encrypt_last_block, . - chacha20_encrypt_last_block

    .section .rodata
    .balign 8
constants:
    .ascii  "expand 32-byte k"

    .section .note.GNU-stack, "", @progbits
