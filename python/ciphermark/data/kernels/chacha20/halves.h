/*
 * ChaCha20 on registers that hold a || d and b || c of a column or diagonal, for the extensions whose instructions
 * work on these (XChaChaV1 to XChaChaV3): registers and rounds of halves_block.S and halves_encrypt.S, to be
 * included after the macros
 *   quarter_round ad, bc, from_ad, from_bc, t   results may be in the registers of their sources; may clobber \t
 *   add_high to, x, y                           the upper half of \to becomes the sum of those of \x and \y; the lower
 *                                               half is left as anything; \to is neither \x nor \y
 *
 * A round is four quarter rounds and the eight packs that turn columns into diagonals or back; the last diagonals stay
 * as they are, the words are picked from them. All is unrolled, and all registers keep their meaning from one double
 * round to the next, so nothing is moved. Carries from lower halves never count: upper halves are added apart.
 * In every block of a message the first round differs only in column 0, so what the others contribute to
 * the first diagonals is computed once.
 *
 * Source: RFC 8439; the registers' contents are those of Marshall, Page, Pham: A lightweight ISE for ChaCha on RISC-V,
 * ASAP 2021. Contract: chacha20.h; clobbers what the standard calling convention allows.
 * Constant time: no table is indexed and no branch taken by data.
 */
#ifndef CIPHERMARK_CHACHA20_HALVES_H
#define CIPHERMARK_CHACHA20_HALVES_H

/* Columns: AD<j> = a || d, BC<j> = b || c of column j; T is free. */
#define AD0 a5
#define AD1 a6
#define AD2 a7
#define AD3 t0
#define BC0 t1
#define BC1 t2
#define BC2 t3
#define BC3 t4
#define T t5
#define U t6

/* Diagonals in the same registers: DAD<j> holds a<j> || d<j-1>, DBC<j> holds b<j+1> || c<j+2>; BC2 is free. */
#define DAD0 T
#define DAD1 AD1
#define DAD2 AD2
#define DAD3 AD3
#define DBC0 AD0
#define DBC1 BC3
#define DBC2 BC0
#define DBC3 BC1
#define DT BC2

.macro column_round
    quarter_round AD0, BC0, AD0, BC0, T
    quarter_round AD1, BC1, AD1, BC1, T
    quarter_round AD2, BC2, AD2, BC2, T
    quarter_round AD3, BC3, AD3, BC3, T
.endm

.macro diagonal_round
    quarter_round DAD0, DBC0, DAD0, DBC0, DT
    quarter_round DAD1, DBC1, DAD1, DBC1, DT
    quarter_round DAD2, DBC2, DAD2, DBC2, DT
    quarter_round DAD3, DBC3, DAD3, DBC3, DT
.endm

.macro columns_to_diagonals
    chacha.packhl DAD0, AD3, AD0
    chacha.packhl DAD3, AD2, AD3
    chacha.packhl DAD2, AD1, AD2
    chacha.packhl DAD1, AD0, AD1
    chacha.packhl DBC0, BC2, BC1
    chacha.packhl DBC3, BC1, BC0
    chacha.packhl DBC2, BC0, BC3
    chacha.packhl DBC1, BC3, BC2
.endm

.macro diagonals_to_columns
    chacha.packhl BC2, DBC0, DBC1
    chacha.packhl BC3, DBC1, DBC2
    chacha.packhl BC0, DBC2, DBC3
    chacha.packhl BC1, DBC3, DBC0
    chacha.packhl AD0, DAD1, DAD0
    chacha.packhl AD1, DAD2, DAD1
    chacha.packhl AD2, DAD3, DAD2
    chacha.packhl AD3, DAD0, DAD3
.endm

/* From the first diagonals to the last. */
.macro remaining_rounds
    .rept 9
    diagonals_to_columns
    column_round
    columns_to_diagonals
    diagonal_round
    .endr
.endm

#endif
