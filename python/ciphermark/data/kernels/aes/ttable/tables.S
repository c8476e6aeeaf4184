/*
 * The tables of the T-table technique (Daemen and Rijmen, The Design of Rijndael, section 4.2; AES Proposal, 5.2.1).
 *
 * Four kibibytes of column tables, then the 256 bytes for the last round, so that one base register reaches
 * everything. Table i holds what a byte in row i contributes to its column: SubBytes and MixColumns at once.
 * Columns are little-endian words, row 0 in the low byte, so table i is table 0 rotated left by 8i.
 * tables.h has the offsets.
 */
#include "sbox.h"

.macro double to, value
    .set    \to, ((\value) << 1) ^ (((\value) >> 7) * 0x11b)
.endm

.macro rotated_word value, bits
    .4byte  ((\value << \bits) | (\value >> (32 - \bits))) & 0xffffffff
.endm

/* MixColumns' first column: 2, 1, 1, 3 (FIPS 197, 5.1.3). */
.macro encryption_row bits, values:vararg
    .irp s, \values
    double  s2, \s
    .set    column, s2 | \s << 8 | \s << 16 | (s2 ^ \s) << 24
    rotated_word column, \bits
    .endr
.endm

/* InvMixColumns' first column: e, 9, d, b (FIPS 197, 5.3.3). */
.macro decryption_row bits, values:vararg
    .irp s, \values
    double  s2, \s
    double  s4, s2
    double  s8, s4
    .set    column, (s8 ^ s4 ^ s2) | (s8 ^ \s) << 8 | (s8 ^ s4 ^ \s) << 16 | (s8 ^ s2 ^ \s) << 24
    rotated_word column, \bits
    .endr
.endm

.macro byte_row values:vararg
    .byte   \values
.endm

.macro encryption_row_0 values:vararg
    encryption_row 0, \values
.endm
.macro encryption_row_1 values:vararg
    encryption_row 8, \values
.endm
.macro encryption_row_2 values:vararg
    encryption_row 16, \values
.endm
.macro encryption_row_3 values:vararg
    encryption_row 24, \values
.endm

.macro decryption_row_0 values:vararg
    decryption_row 0, \values
.endm
.macro decryption_row_1 values:vararg
    decryption_row 8, \values
.endm
.macro decryption_row_2 values:vararg
    decryption_row 16, \values
.endm
.macro decryption_row_3 values:vararg
    decryption_row 24, \values
.endm

    .section .rodata
    .balign 64
    .globl  aes_ttable_encryption
    .hidden aes_ttable_encryption
    .type   aes_ttable_encryption, @object
aes_ttable_encryption:
    sbox_rows encryption_row_0
    sbox_rows encryption_row_1
    sbox_rows encryption_row_2
    sbox_rows encryption_row_3
    sbox_rows byte_row
    .size   aes_ttable_encryption, . - aes_ttable_encryption

    .balign 64
    .globl  aes_ttable_decryption
    .hidden aes_ttable_decryption
    .type   aes_ttable_decryption, @object
aes_ttable_decryption:
    inverse_sbox_rows decryption_row_0
    inverse_sbox_rows decryption_row_1
    inverse_sbox_rows decryption_row_2
    inverse_sbox_rows decryption_row_3
    inverse_sbox_rows byte_row
    .size   aes_ttable_decryption, . - aes_ttable_decryption

    .section .note.GNU-stack, "", @progbits
