/*
 * ChaCha20 encryption as an early draft has it for Vector 2 at 128 bits (Marshall, Page, Pham: A lightweight ISE for
 * ChaCha on RISC-V, before ASAP 2021): a row of the state in each of v0 to v3, LMUL 1, a block at a time. Rows are
 * turned by two slides and a move where the published text gathers: 11 + 631 n instructions for n blocks.
 *
 * Contract: chacha20.h within the limits of the manifest. Clobbers a0 to a2, a5, t0, t2, vector registers.
 * The loop is theirs to the instruction, except that the number of a block is written over the iv's first word, where
 * they slide it in below a nonce of three words. The set-up is one longer than theirs: loading the number and looking
 * for an empty message cost two, an immediate AVL saves one. `tu` is for vmv.s.x, whose other elements are the tail, and for the second slide,
 * which keeps what the first one wrote.
 */

#define OUT a0
#define IN a1
#define BYTES a2
#define KEY a3
#define IV a4

#define NUMBER a5 /* of the next block */
#define ROUNDS t2 /* pairs left */

/* The initial state is v4 to v7. */
#define T v31

#include "published_rows_asm.h"

/* \row turned by \n words. Above the first slide's result is whatever the register holds; the second replaces it. */
.macro turn row, n
    vslidedown.vi T, \row, \n
    vslideup.vi T, \row, 4 - \n
    vmv.v.v \row, T
.endm

    .text
    .globl  chacha20_encrypt
    .type   chacha20_encrypt, @function
    .balign 4
chacha20_encrypt:
    beqz    BYTES, 3f
    vsetivli zero, 4, e32, m1, tu, ma
    lla     t0, constants
    vle32.v v4, (t0)
    vle32.v v5, (KEY)
    addi    t0, KEY, 16
    vle32.v v6, (t0)
    vle32.v v7, (IV)
    lw      NUMBER, 0(IV)

1:  vmv.s.x v7, NUMBER
    vmv4r.v v0, v4
    li      ROUNDS, 10
2:  round
    turn    v1, 1
    turn    v2, 2
    turn    v3, 3
    round
    turn    v1, 3
    turn    v2, 2
    turn    v3, 1
    addi    ROUNDS, ROUNDS, -1
    bnez    ROUNDS, 2b
    vadd.vv v0, v0, v4
    vadd.vv v1, v1, v5
    vadd.vv v2, v2, v6
    vadd.vv v3, v3, v7
    each_row vle32.v, IN
    xor_rows
    each_row vse32.v, OUT
    li      t0, 64
    add     OUT, OUT, t0
    add     IN, IN, t0
    sub     BYTES, BYTES, t0
    addi    NUMBER, NUMBER, 1
    bnez    BYTES, 1b
3:  ret
    .size   chacha20_encrypt, . - chacha20_encrypt

    .section .rodata
    .balign 4
constants:
    .ascii  "expand 32-byte k"

    .section .note.GNU-stack, "", @progbits
