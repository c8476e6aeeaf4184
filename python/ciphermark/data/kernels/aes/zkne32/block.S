/*
 * AES, one block, with the RV32 scalar-cryptography instructions (RISC-V Cryptography Extensions Volume I, Zkne and
 * Zknd; Saarinen, A Lightweight ISA Extension for AES and SM4, 2020; variant 3 of Marshall et al., TCHES 2021).
 *
 * Contract: aes.h. Buffers that are not aligned to 4 bytes go through C.
 * Clobbers t0..t6, a5, a7.
 * Constant time: no branch or address depends on the key or the data; aes32* have data-independent timing (Zkt).
 */
#include "registers.h"
#include "schedule.h"

.macro start offset
    load_round_key Y0, Y1, Y2, Y3, \offset
    add_block X0, X1, X2, X3, Y0, Y1, Y2, Y3
.endm

.macro even columns, instruction, offset
    load_round_key Y0, Y1, Y2, Y3, \offset
    \columns \instruction, Y0, Y1, Y2, Y3, Y0, Y1, Y2, Y3, X0, X1, X2, X3
.endm

.macro odd columns, instruction, offset
    load_round_key X0, X1, X2, X3, \offset
    \columns \instruction, X0, X1, X2, X3, X0, X1, X2, X3, Y0, Y1, Y2, Y3
.endm

.macro encrypt_even offset
    even    encrypt_columns, aes32esmi, \offset
.endm
.macro encrypt_odd offset
    odd     encrypt_columns, aes32esmi, \offset
.endm
.macro encrypt_last offset
    odd     encrypt_columns, aes32esi, \offset
.endm
.macro decrypt_even offset
    even    decrypt_columns, aes32dsmi, \offset
.endm
.macro decrypt_odd offset
    odd     decrypt_columns, aes32dsmi, \offset
.endm
.macro decrypt_last offset
    odd     decrypt_columns, aes32dsi, \offset
.endm

.macro block_function name, rounds
    .globl  \name
    .type   \name, @function
    .balign 4
\name:
    or      t0, a0, a1
    andi    t0, t0, 3
    bnez    t0, 9f
    load_block X0, X1, X2, X3, 0
    jal     LINK, \rounds
    store_block X0, X1, X2, X3, 0
    ret
9:  tail    \name\()_bytewise
    .size   \name, . - \name
.endm

    .text
    walk    aes32_encrypt1, start, encrypt_even, encrypt_odd, encrypt_last
    walk    aes32_decrypt1, start, decrypt_even, decrypt_odd, decrypt_last
    .irp key_bits, 128, 192, 256
    block_function aes_\key_bits\()_block, aes32_encrypt1_\key_bits
    block_function aes_\key_bits\()_block_decrypt, aes32_decrypt1_\key_bits
    .endr

    .section .note.GNU-stack, "", @progbits
