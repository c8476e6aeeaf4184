/*
 * CTR on two_blocks.S, the rest on block.S.
 *
 * The counter stays in memory order: its last byte is the top byte of the fourth word, so a step is one addition, and
 * only the carry out of that byte (one block in 256) goes through memory.
 *
 * Contract: aes.h. Clobbers what the ABI allows; constant time in everything but lengths, addresses and the counter.
 */
#include "registers.h"

#define COUNTER0 s9 /* bytes 0..3 */
#define COUNTER1 s10
#define COUNTER2 s11
#define COUNTER3 ra

.macro load_counter x0, x1, x2, x3
    lw      \x0, 0(IV)
    lw      \x1, 4(IV)
    lw      \x2, 8(IV)
    lw      \x3, 12(IV)
.endm

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

.macro add_plaintext x0, x1, x2, x3, offset
    load_block Y0, Y1, Y2, Y3, \offset
    add_block \x0, \x1, \x2, \x3, Y0, Y1, Y2, Y3
    store_block \x0, \x1, \x2, \x3, \offset
.endm

    .text
    .irp key_bits, 128, 192, 256
    mode_function aes_\key_bits\()_ctr_encrypt, ctr, 1, aes32_encrypt2_\key_bits, aes32_encrypt1_\key_bits
    .endr

    .type   ctr, @function
    .balign 4
ctr:
    andi    t1, END, -32
    beqz    t1, one_by_one
    save_registers 12
    sw      END, 52(sp)
    mv      TWO_BLOCKS, a5
    add     END, t1, IN
    load_counter COUNTER0, COUNTER1, COUNTER2, COUNTER3
1:  lui     Y0, 1 << 12 /* 1 in byte 15 */
    mv      X0, COUNTER0
    mv      X1, COUNTER1
    mv      X2, COUNTER2
    mv      X3, COUNTER3
    mv      U0, COUNTER0
    mv      U1, COUNTER1
    mv      U2, COUNTER2
    add     U3, COUNTER3, Y0
    add     COUNTER3, U3, Y0
    bltu    COUNTER3, X3, 3f
2:  jalr    LINK, 0(TWO_BLOCKS)
    add_plaintext X0, X1, X2, X3, 0
    add_plaintext U0, U1, U2, U3, 16
    addi    IN, IN, 32
    addi    OUT, OUT, 32
    bne     IN, END, 1b
    sw      COUNTER3, 12(IV)
    lw      END, 52(sp)
    restore_registers 12
    andi    END, END, 31
    j       one_by_one

3:  sw      X3, 12(IV)
    advance_counter Y0, Y1
    load_counter U0, U1, U2, U3
    advance_counter Y0, Y1
    load_counter COUNTER0, COUNTER1, COUNTER2, COUNTER3
    j       2b
    .size   ctr, . - ctr

#define LEFT a4 /* in END's place */

    .type   one_by_one, @function
    .balign 4
one_by_one:
    beqz    LEFT, 4f
1:  load_counter X0, X1, X2, X3
    jalr    LINK, 0(ONE_BLOCK)
    advance_counter Y0, Y1
    addi    LEFT, LEFT, -16
    bltz    LEFT, 2f
    add_plaintext X0, X1, X2, X3, 0
    addi    IN, IN, 16
    addi    OUT, OUT, 16
    bnez    LEFT, 1b
    ret

2:  addi    LEFT, LEFT, 16
    addi    sp, sp, -16
    sw      X0, 0(sp)
    sw      X1, 4(sp)
    sw      X2, 8(sp)
    sw      X3, 12(sp)
    mv      X0, sp
3:  lbu     X1, 0(IN)
    lbu     X2, 0(X0)
    xor     X1, X1, X2
    sb      X1, 0(OUT)
    addi    IN, IN, 1
    addi    OUT, OUT, 1
    addi    X0, X0, 1
    addi    LEFT, LEFT, -1
    bnez    LEFT, 3b
    addi    sp, sp, 16
4:  ret
    .size   one_by_one, . - one_by_one

    .section .note.GNU-stack, "", @progbits
