/*
 * ECB on two_blocks.S, a last odd block on block.S.
 *
 * Contract: aes.h. Clobbers what the ABI allows; constant time in everything but lengths and addresses.
 */
#include "registers.h"

    .text
    .irp key_bits, 128, 192, 256
    mode_function aes_\key_bits\()_ecb_encrypt, ecb, 0, aes32_encrypt2_\key_bits, aes32_encrypt1_\key_bits
    mode_function aes_\key_bits\()_ecb_decrypt, ecb, 0, aes32_decrypt2_\key_bits, aes32_decrypt1_\key_bits
    .endr

#define ODD a3 /* the odd block's bytes: 16 or 0 */

    .type   ecb, @function
    .balign 4
ecb:
    andi    ODD, END, 16
    sub     END, END, ODD
    beqz    END, 2f
    add     END, END, IN
    save_registers 9
    mv      TWO_BLOCKS, a5
1:  load_block X0, X1, X2, X3, 0
    load_block U0, U1, U2, U3, 16
    jalr    LINK, 0(TWO_BLOCKS)
    store_block X0, X1, X2, X3, 0
    store_block U0, U1, U2, U3, 16
    addi    IN, IN, 32
    addi    OUT, OUT, 32
    bne     IN, END, 1b
    restore_registers 9
2:  beqz    ODD, 3f
    load_block X0, X1, X2, X3, 0
    jalr    LINK, 0(ONE_BLOCK)
    store_block X0, X1, X2, X3, 0
3:  ret
    .size   ecb, . - ecb

    .section .note.GNU-stack, "", @progbits
