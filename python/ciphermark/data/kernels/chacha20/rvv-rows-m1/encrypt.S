/*
 * ChaCha20 encryption as published for Vector 2 (Marshall, Page, Pham, ASAP 2021): the rows of the state in v0 to v3,
 * LMUL 1, after Goll and Gueron. At VLEN 128 a block at a time, 20 + 575 n instructions for n blocks; from VLEN 256 on
 * two, 27 + 576 p for p pairs, and 4 more if the last pair, not the first, lacks a block.
 *
 * Contract: chacha20.h within the limits of the manifest. Clobbers a0 to a2, a5, a6, t0 to t4, vector registers.
 * The loop is theirs to the instruction, except that the number of the first block stands in the iv's row and is
 * replaced there, where they slide it in below a nonce of three words. They write a pair where one block is left;
 * this ends with a shorter vector. The set-up is as long as theirs: what choosing the length and loading the number
 * cost is saved by an immediate AVL and by tables that follow one another.
 * `tu` is for vmv.s.x, whose other elements are the tail.
 *
 * Constant time: no table is indexed and no branch taken by data.
 */

#define OUT a0
#define IN a1
#define BYTES a2
#define KEY a3
#define IV a4

#define NUMBER a5 /* of the next block */
#define PAIRS a6  /* not 0: registers hold the rows of two blocks */
#define ELEMENTS t1
#define ROUNDS t2 /* pairs left */

/* The initial state is v4 to v7, the iv v8. */
#define BOTH v26       /* indices of one block's row, twice */
#define IN_MESSAGE v27 /* byte offsets of the elements in the message */
#define AHEAD3 v28     /* indices of the word 3, 2, 1 columns further on */
#define AHEAD2 v29
#define AHEAD1 v30
#define T v31

#include "published_rows_asm.h"

.macro move_row row, indices
    vrgather.vv T, \row, \indices
    vmv.v.v \row, T
.endm

.macro load_next_table to, bytes
    addi    t0, t0, \bytes
    vle32.v \to, (t0)
.endm

    .text
    .globl  chacha20_encrypt
    .type   chacha20_encrypt, @function
    .balign 4
chacha20_encrypt:
    vsetivli ELEMENTS, 8, e32, m1, tu, ma
    addi    PAIRS, ELEMENTS, -4
    bnez    PAIRS, 1f

    lla     t0, tables_of_block
    vle32.v AHEAD1, (t0)
    load_next_table AHEAD2, 16
    load_next_table AHEAD3, 16
    load_next_table v4, 16
    vle32.v v5, (KEY)
    addi    t0, KEY, 16
    vle32.v v6, (t0)
    vle32.v v7, (IV)
    lw      NUMBER, 0(IV)
    j       3f

1:  lla     t0, tables_of_pair
    vle32.v AHEAD1, (t0)
    load_next_table AHEAD2, 32
    load_next_table AHEAD3, 32
    load_next_table BOTH, 32
    load_next_table IN_MESSAGE, 32
    load_next_table v4, 32
    vle32.v v1, (KEY)
    vrgather.vv v5, v1, BOTH
    vslidedown.vi v2, v1, 4
    vrgather.vv v6, v2, BOTH
    vle32.v v8, (IV)
    lw      NUMBER, 0(IV)
/* Four elements if only one block is left. */
2:  slti    t0, BYTES, 128
    srl     ELEMENTS, ELEMENTS, t0
    vsetvli zero, ELEMENTS, e32, m1, tu, ma

3:  bnez    PAIRS, 4f
    vmv.s.x v7, NUMBER
    j       5f
4:  addi    t4, NUMBER, 1
    vmv.s.x v8, t4
    vrgather.vv v7, v8, BOTH
    vmv.s.x v7, NUMBER
5:  vmv4r.v v0, v4
    li      ROUNDS, 10
6:  round
    move_row v1, AHEAD1
    move_row v2, AHEAD2
    move_row v3, AHEAD3
    round
    move_row v1, AHEAD3
    move_row v2, AHEAD2
    move_row v3, AHEAD1
    addi    ROUNDS, ROUNDS, -1
    bnez    ROUNDS, 6b
    vadd.vv v0, v0, v4
    vadd.vv v1, v1, v5
    vadd.vv v2, v2, v6
    vadd.vv v3, v3, v7

    bnez    PAIRS, 7f
    each_row vle32.v, IN
    xor_rows
    each_row vse32.v, OUT
    addi    NUMBER, NUMBER, 1
    li      t0, 64
    j       8f
7:  each_row vluxei32.v, IN, IN_MESSAGE
    xor_rows
    each_row vsuxei32.v, OUT, IN_MESSAGE
    addi    NUMBER, NUMBER, 2
    slli    t0, ELEMENTS, 4
8:  add     OUT, OUT, t0
    add     IN, IN, t0
    sub     BYTES, BYTES, t0
    bgeu    BYTES, t0, 3b
    bnez    BYTES, 2b
    ret
    .size   chacha20_encrypt, . - chacha20_encrypt

    .section .rodata
    .balign 4
tables_of_block:
    .word   1, 2, 3, 0
    .word   2, 3, 0, 1
    .word   3, 0, 1, 2
    .ascii  "expand 32-byte k"

tables_of_pair:
    .word   1, 2, 3, 0, 5, 6, 7, 4
    .word   2, 3, 0, 1, 6, 7, 4, 5
    .word   3, 0, 1, 2, 7, 4, 5, 6
    .word   0, 1, 2, 3, 0, 1, 2, 3
    .word   0, 4, 8, 12, 64, 68, 72, 76
    .ascii  "expand 32-byte kexpand 32-byte k"

    .section .note.GNU-stack, "", @progbits
