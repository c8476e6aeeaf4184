/*
 * CTR with Zvkned, eight registers of blocks an iteration.
 *
 * Counters of one run, the blocks until the counter's last byte wraps, differ in that byte only. So the run's first
 * counter without that byte is added once to the first round key, and what whitens a group of blocks whose other
 * bytes are zero makes whole counters of them at no cost; viota, under the mask of the last bytes, numbers the
 * blocks. A carry is thus a matter of scalar code, once in 256 blocks.
 *
 * Contract: aes.h. Everything moves as bytes, so any alignment and length will do.
 * Clobbers a0 to a2, a5 to a7, t0 to t6, v0 to v31.
 * Constant time in everything but lengths, addresses and the counter.
 */
#include "round_keys.h"

#define OUT a0
#define IN a1
#define BYTES a2
#define COUNTER a3
#define RK a4
#define LAST_BYTE a5    /* of the next block's counter */
#define GROUP a6        /* bytes of eight registers, at most one run's */
#define GROUP_BLOCKS a7
#define GROUP_WORDS t6
#define RUN t1          /* bytes left in this run */

#define RUN_BLOCKS 256
#define MASK v0
#define LAST_BYTES_OF_BLOCKS 0x8000
#define WHITENING v15

/* v16 = keystream of vl bytes, that is of `words` words; vl is bytes before and has to be set again after. */
.macro keystream key_bits, words
    vmv.v.i v16, 0
    viota.m v16, MASK, v0.t
    vadd.vx v16, v16, LAST_BYTE, v0.t
    vsetvli zero, \words, e32, m8, ta, ma
    vaesz.vs v16, WHITENING
    encrypt_whitened \key_bits, v16
.endm

.macro bytes_masked count
    vsetvli zero, \count, e8, m8, ta, mu
.endm

.macro add_to_text
    vle8.v  v24, (IN)
    vxor.vv v16, v16, v24
    vse8.v  v16, (OUT)
.endm

.macro ctr_function key_bits
    .globl  aes_\key_bits\()_ctr_encrypt
    .type   aes_\key_bits\()_ctr_encrypt, @function
    .balign 4
aes_\key_bits\()_ctr_encrypt:
    beqz    BYTES, 8f
    load_round_keys \key_bits, RK, t0
    vsetvli t0, zero, e16, m1, ta, ma
    li      t0, LAST_BYTES_OF_BLOCKS
    vmv.v.x MASK, t0
    li      t0, 16*RUN_BLOCKS
    vsetvli GROUP, t0, e8, m8, ta, ma
    srli    GROUP_BLOCKS, GROUP, 4
    srli    GROUP_WORDS, GROUP, 2

    /* A run: its first counter, how many blocks are left to it, and the counter after it. */
1:  vsetivli zero, 16, e8, m1, ta, ma
    vle8.v  v16, (COUNTER)
    vmerge.vim v16, v16, 0, v0
    lbu     LAST_BYTE, 15(COUNTER)
    li      t0, WORD_STRIDE
    vsetivli zero, 4, e32, m1, ta, ma
    vlse32.v WHITENING, (RK), t0
    vxor.vv WHITENING, WHITENING, v16
    addi    t0, BYTES, 15
    srli    t0, t0, 4
    li      t2, RUN_BLOCKS
    sub     t2, t2, LAST_BYTE
    mv      RUN, BYTES
    bltu    t0, t2, 4f
    mv      t0, t2
    slli    t2, t2, 4
    bltu    RUN, t2, 2f
    mv      RUN, t2
2:  addi    t3, COUNTER, 14
3:  lbu     t5, 0(t3)
    addi    t5, t5, 1
    sb      t5, 0(t3)
    andi    t5, t5, 255
    bnez    t5, 4f
    addi    t3, t3, -1
    bgeu    t3, COUNTER, 3b
4:  add     t0, t0, LAST_BYTE
    sb      t0, 15(COUNTER)

    sub     BYTES, BYTES, RUN
    bytes_masked GROUP
    bltu    RUN, GROUP, 6f
5:  keystream \key_bits, GROUP_WORDS
    bytes_masked GROUP
    add_to_text
    add     IN, IN, GROUP
    add     OUT, OUT, GROUP
    add     LAST_BYTE, LAST_BYTE, GROUP_BLOCKS
    sub     RUN, RUN, GROUP
    bgeu    RUN, GROUP, 5b
6:  beqz    RUN, 7f
    addi    t0, RUN, 15
    andi    t0, t0, -16
    bytes_masked t0
    srli    t0, t0, 2
    keystream \key_bits, t0
    vsetvli zero, RUN, e8, m8, ta, ma
    add_to_text
    add     IN, IN, RUN
    add     OUT, OUT, RUN
7:  bnez    BYTES, 1b
8:  ret
    .size   aes_\key_bits\()_ctr_encrypt, . - aes_\key_bits\()_ctr_encrypt
.endm

    .text
    .irp key_bits, 128, 192, 256
    ctr_function \key_bits
    .endr

    .section .note.GNU-stack, "", @progbits
