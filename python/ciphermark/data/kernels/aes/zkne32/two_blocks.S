/*
 * Two AES blocks in registers: each word of a round key is loaded once for both. Source and constant-time claim as in
 * block.S.
 *
 * Contract: blocks in X0..X3 and U0..U3, schedule in RK, return address in LINK; results in the same registers.
 * Clobbers Y0..Y3, V0..V3 (registers.h).
 */
#include "registers.h"
#include "schedule.h"

.macro start offset
    load_round_key Y0, Y1, Y2, Y3, \offset
    add_block X0, X1, X2, X3, Y0, Y1, Y2, Y3
    add_block U0, U1, U2, U3, Y0, Y1, Y2, Y3
.endm

/* The first block leaves the round key intact, the second consumes it. */
.macro even columns, instruction, offset
    load_round_key V0, V1, V2, V3, \offset
    \columns \instruction, Y0, Y1, Y2, Y3, V0, V1, V2, V3, X0, X1, X2, X3
    \columns \instruction, V0, V1, V2, V3, V0, V1, V2, V3, U0, U1, U2, U3
.endm

.macro odd columns, instruction, offset
    load_round_key U0, U1, U2, U3, \offset
    \columns \instruction, X0, X1, X2, X3, U0, U1, U2, U3, Y0, Y1, Y2, Y3
    \columns \instruction, U0, U1, U2, U3, U0, U1, U2, U3, V0, V1, V2, V3
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

    .text
    walk    aes32_encrypt2, start, encrypt_even, encrypt_odd, encrypt_last
    walk    aes32_decrypt2, start, decrypt_even, decrypt_odd, decrypt_last

    .section .note.GNU-stack, "", @progbits
