/*
 * CTR on four_blocks.S, the rest on block.S.
 *
 * The counter stays in memory order: its last byte is the top byte of the second doubleword, so a step is one
 * addition, and only the carry out of that byte (one block in 256) goes through memory.
 *
 * Contract: aes.h. Clobbers what the ABI allows; constant time in everything but lengths, addresses and the counter.
 */
#include "four_blocks.h"

#define END s6
#define COUNTER_LOW s7  /* bytes 0..7 */
#define COUNTER_HIGH s8 /* bytes 8..15 */
#define ONE s9          /* 1 in byte 15 */

/* Adds 1 to the 128-bit big-endian integer at IV. */
.macro advance_counter position, byte
    addi    \position, IV, 15
7:  lbu     \byte, 0(\position)
    addi    \byte, \byte, 1
    sb      \byte, 0(\position)
    andi    \byte, \byte, 255
    bnez    \byte, 8f
    addi    \position, \position, -1
    bgeu    \position, IV, 7b
8:
.endm

.macro next_counter low, high
    ld      \low, 0(IV)
    ld      \high, 8(IV)
    advance_counter K0, K1
.endm

.macro add_plaintext x, offset
    ld      K0, \offset(IN)
    xor     \x, \x, K0
.endm

    .text
    .irp key_bits, 128, 192, 256
    mode_with_iv aes_\key_bits\()_ctr_encrypt, ctr, aes64_encrypt4_\key_bits, aes_\key_bits\()_block
    .endr

    .type   ctr, @function
    .balign 4
ctr:
    andi    t0, BYTES, -64
    beqz    t0, ctr_one_by_one
    save_registers 10
    add     END, IN, t0
    ld      COUNTER_LOW, 0(IV)
    ld      COUNTER_HIGH, 8(IV)
    li      ONE, 1
    slli    ONE, ONE, 56
1:  mv      X0, COUNTER_LOW
    mv      X1, COUNTER_HIGH
    mv      X2, COUNTER_LOW
    add     X3, X1, ONE
    mv      X4, COUNTER_LOW
    add     X5, X3, ONE
    mv      X6, COUNTER_LOW
    add     X7, X5, ONE
    add     COUNTER_HIGH, X7, ONE
    bltu    COUNTER_HIGH, X1, 3f
2:  jalr    LINK, 0(FOUR_BLOCKS)
    add_plaintext X0, 0
    add_plaintext X1, 8
    add_plaintext X2, 16
    add_plaintext X3, 24
    add_plaintext X4, 32
    add_plaintext X5, 40
    add_plaintext X6, 48
    add_plaintext X7, 56
    store_four
    addi    IN, IN, 64
    addi    OUT, OUT, 64
    bne     IN, END, 1b
    sd      COUNTER_LOW, 0(IV)
    sd      COUNTER_HIGH, 8(IV)
    restore_registers 10
    andi    BYTES, BYTES, 63
    j       ctr_one_by_one

3:  sd      COUNTER_LOW, 0(IV)
    sd      X1, 8(IV)
    next_counter X0, X1
    next_counter X2, X3
    next_counter X4, X5
    next_counter X6, X7
    ld      COUNTER_LOW, 0(IV)
    ld      COUNTER_HIGH, 8(IV)
    j       2b
    .size   ctr, . - ctr

/* a0 and a1 stay what ONE_BLOCK takes: the keystream's place and the counter's. */
#define TO a4
#define FROM a5
#define LEFT a7

    .type   ctr_one_by_one, @function
    .balign 4
ctr_one_by_one:
    beqz    BYTES, 5f
    addi    sp, sp, -32
    sd      ra, 16(sp)
    mv      LEFT, BYTES
    mv      a2, RK
    mv      TO, OUT
    mv      FROM, IN
    mv      a0, sp
    mv      a1, IV
1:  jalr    ra, 0(ONE_BLOCK)
    advance_counter t2, t3
    addi    LEFT, LEFT, -16
    bltz    LEFT, 3f
    ld      t2, 0(FROM)
    ld      t3, 8(FROM)
    xor     t0, t0, t2
    xor     t1, t1, t3
    sd      t0, 0(TO)
    sd      t1, 8(TO)
    addi    FROM, FROM, 16
    addi    TO, TO, 16
    bnez    LEFT, 1b
2:  ld      ra, 16(sp)
    addi    sp, sp, 32
    ret

3:  addi    LEFT, LEFT, 16
4:  lbu     t2, 0(FROM)
    lbu     t3, 0(a0)
    xor     t2, t2, t3
    sb      t2, 0(TO)
    addi    FROM, FROM, 1
    addi    TO, TO, 1
    addi    a0, a0, 1
    addi    LEFT, LEFT, -1
    bnez    LEFT, 4b
    j       2b
5:  ret
    .size   ctr_one_by_one, . - ctr_one_by_one

    .section .note.GNU-stack, "", @progbits
