/*
 * CBC decryption on four_blocks.S, the last one to three blocks on block.S. The ciphertext is read again after
 * deciphering, before anything is written, so that decryption in place needs no copy.
 *
 * Contract: aes.h. Clobbers what the ABI allows; constant time in everything but lengths and addresses.
 */
#include "four_blocks.h"

#define END s6
#define IV_LOW s7
#define IV_HIGH s8

    .text
    .irp key_bits, 128, 192, 256
    mode_with_iv aes_\key_bits\()_cbc_decrypt, cbc_decrypt, aes64_decrypt4_\key_bits, aes_\key_bits\()_block_decrypt
    .endr

.macro add_ciphertext low, high, offset
    ld      K0, \offset(IN)
    ld      K1, \offset + 8(IN)
    xor     \low, \low, K0
    xor     \high, \high, K1
.endm

    .type   cbc_decrypt, @function
    .balign 4
cbc_decrypt:
    andi    t0, BYTES, -64
    beqz    t0, 2f
    save_registers 9
    add     END, IN, t0
    ld      IV_LOW, 0(IV)
    ld      IV_HIGH, 8(IV)
1:  load_four
    jalr    LINK, 0(FOUR_BLOCKS)
    xor     X0, X0, IV_LOW
    xor     X1, X1, IV_HIGH
    add_ciphertext X2, X3, 0
    add_ciphertext X4, X5, 16
    add_ciphertext X6, X7, 32
    ld      IV_LOW, 48(IN)
    ld      IV_HIGH, 56(IN)
    store_four
    addi    IN, IN, 64
    addi    OUT, OUT, 64
    bne     IN, END, 1b
    sd      IV_LOW, 0(IV)
    sd      IV_HIGH, 8(IV)
    restore_registers 9
    andi    BYTES, BYTES, 63
2:  beqz    BYTES, 4f
    addi    sp, sp, -16
    sd      ra, 0(sp)
    add     a7, IN, BYTES
    mv      a2, RK
3:  ld      a4, 0(IN)
    ld      a5, 8(IN)
    jalr    ra, 0(ONE_BLOCK)
    ld      t2, 0(IV)
    ld      t3, 8(IV)
    xor     t0, t0, t2
    xor     t1, t1, t3
    sd      t0, 0(OUT)
    sd      t1, 8(OUT)
    sd      a4, 0(IV)
    sd      a5, 8(IV)
    addi    IN, IN, 16
    addi    OUT, OUT, 16
    bne     IN, a7, 3b
    ld      ra, 0(sp)
    addi    sp, sp, 16
4:  ret
    .size   cbc_decrypt, . - cbc_decrypt

    .section .note.GNU-stack, "", @progbits
