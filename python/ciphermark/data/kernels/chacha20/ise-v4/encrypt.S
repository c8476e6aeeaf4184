/*
 * ChaCha20 encryption as its authors published it for XChaChaV4 (Marshall, Page, Pham, ASAP 2021; V4 of the draft):
 * 512 + 466 (n - 1) instructions for n blocks.
 *
 * Contract: chacha20.h within the limits of the manifest. The loop is theirs to the instruction: it copies the initial
 * state, counts in 64 bits, so that a carry runs into the nonce, and takes whole blocks, at least one, at addresses
 * that are multiples of 8. Before it the nonce's middle word is loaded with its sign, which inverts the last word if it
 * is set. Their call has the first block's number in a register; here it costs a load, and to keep the count one of the
 * two arguments that they save and restore for nobody's benefit is not restored.
 *
 * Constant time: no table is indexed and no branch taken by data.
 */
#include "two_columns.h"

#define OUT a0
#define IN a1
#define BYTES a2

/* The initial state. */
#define A0 t0
#define A1 t1
#define B0 t2
#define B1 t3
#define C0 t4
#define C1 t5
#define D0 t6
#define D1 a7

.macro xor_block x, offset
    ld      s8, \offset(IN)
    xor     s8, s8, \x
    sd      s8, \offset(OUT)
.endm

.macro each_saved instruction
    \instruction s0, 0(sp)
    \instruction s1, 8(sp)
    \instruction s2, 16(sp)
    \instruction s3, 24(sp)
    \instruction s4, 32(sp)
    \instruction s5, 40(sp)
    \instruction s6, 48(sp)
    \instruction s7, 56(sp)
    \instruction s8, 64(sp)
    \instruction s9, 72(sp)
    \instruction s10, 80(sp)
    \instruction s11, 88(sp)
.endm

    .text
    .globl  chacha20_encrypt
    .type   chacha20_encrypt, @function
    .balign 4
chacha20_encrypt:
    addi    sp, sp, -112
    each_saved sd
    sd      a0, 96(sp)
    sd      a1, 104(sp)
    lla     a6, constants
    ld      A0, 0(a6)
    ld      A1, 8(a6)
    ld      B0, 0(a3)
    ld      B1, 8(a3)
    ld      C0, 16(a3)
    ld      C1, 24(a3)
    lwu     a5, 0(a4)
    lw      D0, 4(a4)
    slli    D0, D0, 32
    add     D0, D0, a5
    lw      s8, 8(a4)
    lw      D1, 12(a4)
    slli    D1, D1, 32
    xor     D1, D1, s8

1:  mv      s0, A0
    mv      s1, A1
    mv      s2, B0
    mv      s3, B1
    mv      s4, C0
    mv      s5, C1
    mv      s6, D0
    mv      s7, D1
    li      a6, 10
2:  double_round s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11
    addi    a6, a6, -1
    bnez    a6, 2b
    chacha.add.v4 s0, s0, A0
    chacha.add.v4 s1, s1, A1
    chacha.add.v4 s2, s2, B0
    chacha.add.v4 s3, s3, B1
    chacha.add.v4 s4, s4, C0
    chacha.add.v4 s5, s5, C1
    chacha.add.v4 s6, s6, D0
    chacha.add.v4 s7, s7, D1
    xor_block s0, 0
    xor_block s1, 8
    xor_block s2, 16
    xor_block s3, 24
    xor_block s4, 32
    xor_block s5, 40
    xor_block s6, 48
    xor_block s7, 56
    addi    OUT, OUT, 64
    addi    IN, IN, 64
    addi    D0, D0, 1
    addi    BYTES, BYTES, -64
    bnez    BYTES, 1b

    each_saved ld
    ld      a0, 96(sp)
    addi    sp, sp, 112
    ret
    .size   chacha20_encrypt, . - chacha20_encrypt

    .section .rodata
    .balign 8
constants:
    .ascii  "expand 32-byte k"

    .section .note.GNU-stack, "", @progbits
