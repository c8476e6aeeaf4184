/*
 * ECB on four_blocks.S, the last one to three blocks on block.S.
 *
 * Contract: aes.h. Clobbers what the ABI allows; constant time in everything but lengths and addresses.
 */
#include "four_blocks.h"

.macro ecb_function name, four, one
    .globl  \name
    .type   \name, @function
    .balign 4
\name:
    or      t0, OUT, IN
    andi    t0, t0, 7
    bnez    t0, 9f
    mv      RK, a3
    lla     FOUR_BLOCKS, \four
    lla     ONE_BLOCK, \one
    j       ecb
9:  tail    \name\()_bytewise
    .size   \name, . - \name
.endm

#define END s6

    .text
    .irp key_bits, 128, 192, 256
    ecb_function aes_\key_bits\()_ecb_encrypt, aes64_encrypt4_\key_bits, aes_\key_bits\()_block
    ecb_function aes_\key_bits\()_ecb_decrypt, aes64_decrypt4_\key_bits, aes_\key_bits\()_block_decrypt
    .endr

    .type   ecb, @function
    .balign 4
ecb:
    andi    t0, BYTES, -64
    beqz    t0, 2f
    save_registers 7
    add     END, IN, t0
1:  load_four
    jalr    LINK, 0(FOUR_BLOCKS)
    store_four
    addi    IN, IN, 64
    addi    OUT, OUT, 64
    bne     IN, END, 1b
    restore_registers 7
    andi    BYTES, BYTES, 63
2:  beqz    BYTES, 4f
    mv      a7, ra
    add     a5, IN, BYTES
    mv      a2, RK
3:  jalr    ra, 0(ONE_BLOCK)
    addi    IN, IN, 16
    addi    OUT, OUT, 16
    bne     IN, a5, 3b
    mv      ra, a7
4:  ret
    .size   ecb, . - ecb

    .section .note.GNU-stack, "", @progbits
