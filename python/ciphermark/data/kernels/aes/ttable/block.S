/*
 * AES, one block, by table look-up (Daemen and Rijmen, The Design of Rijndael, section 4.2) for RV32 and RV64, base
 * integer instructions only. Decryption is the equivalent inverse cipher (FIPS 197, section 5.3.5): the same walk
 * over a schedule stored last round first.
 *
 * Contract: aes.h. Buffers that are not aligned to 4 bytes go through C.
 * Clobbers a1..a7, t0..t6.
 * NOT constant time: the addresses of the look-ups depend on key and data, and caches tell them apart.
 */
#include "tables.h"

#define OUT a0
#define RK a2
#define LAST_RK a3
#define TABLES a4
#define A a5
#define B a6
#define C a7

/* The state's columns in even and odd rounds; `in` is dead once X3 is loaded. */
#define X0 t0
#define X1 t1
#define X2 t2
#define X3 a1
#define Y0 t3
#define Y1 t4
#define Y2 t5
#define Y3 t6

/* One column of a full round: byte i of \r<i> through table i. Four times the byte is the index of a word. */
.macro column out, r0, r1, r2, r3, key
    slli    \out, \r0, 2
    srli    A, \r1, 6
    srli    B, \r2, 14
    srli    C, \r3, 22
    andi    \out, \out, 0x3fc
    andi    A, A, 0x3fc
    andi    B, B, 0x3fc
    andi    C, C, 0x3fc
    add     \out, \out, TABLES
    add     A, A, TABLES
    add     B, B, TABLES
    add     C, C, TABLES
    lw      \out, COLUMN_TABLE(0)(\out)
    lw      A, COLUMN_TABLE(1)(A)
    lw      B, COLUMN_TABLE(2)(B)
    lw      C, COLUMN_TABLE(3)(C)
    xor     \out, \out, A
    lw      A, \key(RK)
    xor     B, B, C
    xor     \out, \out, B
    xor     \out, \out, A
.endm

/* One column of the last round, which has no MixColumns; TABLES is one below the S-box. */
.macro last_column out, r0, r1, r2, r3, offset
    andi    \out, \r0, 0xff
    srli    A, \r1, 8
    srli    B, \r2, 16
    SRL32   C, \r3, 24
    andi    A, A, 0xff
    andi    B, B, 0xff
    add     \out, \out, TABLES
    add     A, A, TABLES
    add     B, B, TABLES
    add     C, C, TABLES
    lbu     \out, 1(\out)
    lbu     A, 1(A)
    lbu     B, 1(B)
    lbu     C, 1(C)
    slli    A, A, 8
    slli    B, B, 16
    slli    C, C, 24
    or      \out, \out, A
    lw      A, \offset(RK)
    or      B, B, C
    or      \out, \out, B
    xor     \out, \out, A
    sw      \out, \offset(OUT)
.endm

/* ShiftRows: column j takes row i from column j + i. */
.macro encrypt_round y0, y1, y2, y3, x0, x1, x2, x3, key
    column  \y0, \x0, \x1, \x2, \x3, \key
    column  \y1, \x1, \x2, \x3, \x0, \key + 4
    column  \y2, \x2, \x3, \x0, \x1, \key + 8
    column  \y3, \x3, \x0, \x1, \x2, \key + 12
.endm

.macro encrypt_last_round
    last_column X0, Y0, Y1, Y2, Y3, 0
    last_column X1, Y1, Y2, Y3, Y0, 4
    last_column X2, Y2, Y3, Y0, Y1, 8
    last_column X3, Y3, Y0, Y1, Y2, 12
.endm

/* InvShiftRows: column j takes row i from column j - i. */
.macro decrypt_round y0, y1, y2, y3, x0, x1, x2, x3, key
    column  \y0, \x0, \x3, \x2, \x1, \key
    column  \y1, \x1, \x0, \x3, \x2, \key + 4
    column  \y2, \x2, \x1, \x0, \x3, \key + 8
    column  \y3, \x3, \x2, \x1, \x0, \key + 12
.endm

.macro decrypt_last_round
    last_column X0, Y0, Y3, Y2, Y1, 0
    last_column X1, Y1, Y0, Y3, Y2, 4
    last_column X2, Y2, Y1, Y0, Y3, 8
    last_column X3, Y3, Y2, Y1, Y0, 12
.endm

.macro first_round_key x, offset
    lw      A, \offset(RK)
    xor     \x, \x, A
.endm

/* LAST_RK = the last round's key. The number of full rounds is odd: the loop is entered in its middle. */
.macro rounds name, direction
    .type   \name, @function
    .balign 4
\name:
    lw      X0, 0(a1)
    lw      X1, 4(a1)
    lw      X2, 8(a1)
    lw      X3, 12(a1)
    lla     TABLES, aes_ttable_\direction\()ion + MIDDLE
    first_round_key X0, 0
    first_round_key X1, 4
    first_round_key X2, 8
    first_round_key X3, 12
    j       2f
1:  \direction\()_round X0, X1, X2, X3, Y0, Y1, Y2, Y3, 0
2:  \direction\()_round Y0, Y1, Y2, Y3, X0, X1, X2, X3, 16
    addi    RK, RK, 32
    bne     RK, LAST_RK, 1b
    addi    TABLES, TABLES, SBOX_OFFSET - MIDDLE - 1
    \direction\()_last_round
    ret
    .size   \name, . - \name
.endm

.macro block_function name, rounds, count
    .globl  \name
    .type   \name, @function
    .balign 4
\name:
    or      a3, a0, a1
    andi    a3, a3, 3
    bnez    a3, 9f
    addi    LAST_RK, RK, 16*\count
    j       \rounds
9:  tail    \name\()_bytewise
    .size   \name, . - \name
.endm

    .text
    .irp direction, encrypt, decrypt
    rounds  \direction\()_rounds, \direction
    .endr
    .irp size, 128, 192, 256
    block_function aes_\size\()_block, encrypt_rounds, (\size / 32 + 6)
    block_function aes_\size\()_block_decrypt, decrypt_rounds, (\size / 32 + 6)
    .endr

    .section .note.GNU-stack, "", @progbits
