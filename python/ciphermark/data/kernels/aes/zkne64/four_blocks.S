/*
 * Four AES blocks in registers: the round keys are fetched once for four blocks, and no instruction waits for the
 * one before it. Source and constant-time claim as in block.S.
 *
 * Contract: blocks in X0..X7, schedule in RK, return address in LINK; result in X0..X7.
 * Clobbers T, K0..K3 (four_blocks.h).
 */
#include "four_blocks.h"
#include "round_keys.h"

.macro add_round_key lo, hi
    xor     X0, X0, \lo
    xor     X1, X1, \hi
    xor     X2, X2, \lo
    xor     X3, X3, \hi
    xor     X4, X4, \lo
    xor     X5, X5, \hi
    xor     X6, X6, \lo
    xor     X7, X7, \hi
.endm

.macro round_of_one instruction, x, y, lo, hi
    \instruction T, \x, \y
    \instruction \y, \y, \x
    xor     \x, T, \lo
    xor     \y, \y, \hi
.endm

.macro round instruction, lo, hi
    round_of_one \instruction, X0, X1, \lo, \hi
    round_of_one \instruction, X2, X3, \lo, \hi
    round_of_one \instruction, X4, X5, \lo, \hi
    round_of_one \instruction, X6, X7, \lo, \hi
.endm

.macro encrypt_round lo, hi
    round   aes64esm, \lo, \hi
.endm

.macro encrypt_last_round lo, hi
    round   aes64es, \lo, \hi
.endm

.macro decrypt_round lo, hi
    round   aes64dsm, \lo, \hi
.endm

.macro decrypt_last_round lo, hi
    round   aes64ds, \lo, \hi
.endm

.macro four_block_function name, direction, key_bits
    .globl  \name
    .hidden \name
    .type   \name, @function
    .balign 4
\name:
    \direction\()_\key_bits add_round_key, \direction\()_round, \direction\()_last_round
    jr      LINK
    .size   \name, . - \name
.endm

    .text
    .irp key_bits, 128, 192, 256
    four_block_function aes64_encrypt4_\key_bits, encrypt, \key_bits
    four_block_function aes64_decrypt4_\key_bits, decrypt, \key_bits
    .endr

    .section .note.GNU-stack, "", @progbits
