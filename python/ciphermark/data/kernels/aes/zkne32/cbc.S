/*
 * CBC: encryption block by block on block.S, since each waits for the one before it; decryption on two_blocks.S, with
 * the ciphertext read again before anything is written, so that decryption in place needs no copy.
 *
 * Contract: aes.h. Clobbers what the ABI allows; constant time in everything but lengths and addresses.
 */
#include "registers.h"

.macro load_iv x0, x1, x2, x3
    lw      \x0, 0(IV)
    lw      \x1, 4(IV)
    lw      \x2, 8(IV)
    lw      \x3, 12(IV)
.endm

.macro store_iv x0, x1, x2, x3
    sw      \x0, 0(IV)
    sw      \x1, 4(IV)
    sw      \x2, 8(IV)
    sw      \x3, 12(IV)
.endm

    .text
    .irp key_bits, 128, 192, 256
    mode_function aes_\key_bits\()_cbc_encrypt, cbc_encrypt, 1, aes32_encrypt2_\key_bits, aes32_encrypt1_\key_bits
    mode_function aes_\key_bits\()_cbc_decrypt, cbc_decrypt, 1, aes32_decrypt2_\key_bits, aes32_decrypt1_\key_bits
    .endr

    .type   cbc_encrypt, @function
    .balign 4
cbc_encrypt:
    beqz    END, 2f
    add     END, END, IN
    load_iv X0, X1, X2, X3
1:  load_block Y0, Y1, Y2, Y3, 0
    add_block X0, X1, X2, X3, Y0, Y1, Y2, Y3
    jalr    LINK, 0(ONE_BLOCK)
    store_block X0, X1, X2, X3, 0
    addi    IN, IN, 16
    addi    OUT, OUT, 16
    bne     IN, END, 1b
    store_iv X0, X1, X2, X3
2:  ret
    .size   cbc_encrypt, . - cbc_encrypt

/* The chaining value between pairs of blocks. */
#define C0 s9
#define C1 s10
#define C2 s11
#define C3 ra

    .type   cbc_decrypt, @function
    .balign 4
cbc_decrypt:
    andi    t1, END, -32
    beqz    t1, 2f
    save_registers 12
    sw      END, 52(sp)
    mv      TWO_BLOCKS, a5
    add     END, t1, IN
    load_iv C0, C1, C2, C3
1:  load_block X0, X1, X2, X3, 0
    load_block U0, U1, U2, U3, 16
    jalr    LINK, 0(TWO_BLOCKS)
    load_block Y0, Y1, Y2, Y3, 0
    add_block X0, X1, X2, X3, C0, C1, C2, C3
    load_block C0, C1, C2, C3, 16
    add_block U0, U1, U2, U3, Y0, Y1, Y2, Y3
    store_block X0, X1, X2, X3, 0
    store_block U0, U1, U2, U3, 16
    addi    IN, IN, 32
    addi    OUT, OUT, 32
    bne     IN, END, 1b
    store_iv C0, C1, C2, C3
    lw      END, 52(sp)
    restore_registers 12
2:  andi    t1, END, 16
    beqz    t1, 3f
    load_block X0, X1, X2, X3, 0
    jalr    LINK, 0(ONE_BLOCK)
    load_iv Y0, Y1, Y2, Y3
    add_block X0, X1, X2, X3, Y0, Y1, Y2, Y3
    load_block Y0, Y1, Y2, Y3, 0
    store_iv Y0, Y1, Y2, Y3
    store_block X0, X1, X2, X3, 0
3:  ret
    .size   cbc_decrypt, . - cbc_decrypt

    .section .note.GNU-stack, "", @progbits
