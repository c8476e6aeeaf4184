/*
 * Rijndael in ECB, block and key of 256 bits, with the RV64 scalar-cryptography instructions: aes64es* and aes64ds* on
 * pairs of columns (paired_columns.h), xperm8 to select a row and exchange its halves at once, pack to pair columns.
 *
 * Contract: rijndael.h, except that a single block must be aligned to words (limit aligned_block); other buffers that
 * are not go through C.
 * Clobbers a0 to a2, a4 to a7 and t0 to t6; saves s0 to s2.
 * Constant time: no branch or address depends on the key or the data; the instructions are on Zkt's list.
 */
#include "paired_columns.h"

#define OUT a0
#define IN a1
#define BYTES a2
#define RK a3
#define END a2

#define X0 a4
#define X1 a5
#define X2 a6
#define X3 a7
#define Y0 t0
#define Y1 t1
#define Y2 t2
#define Y3 t3
#define T t4

#define ROWS_0_3 t5
#define ROW_1 t6
#define ROW_2 s0
#define ROW_1_SWAPPED s1
#define ROW_2_SWAPPED s2

/* y = rows 0 and 3 of x, row 1 of one neighbour, row 2 of the other. */
.macro arrange y, x, select_1, row_1, neighbour_1, select_2, row_2, neighbour_2
    and     \y, \x, ROWS_0_3
    \select_1 T, \neighbour_1, \row_1
    xor     \y, \y, T
    \select_2 T, \neighbour_2, \row_2
    xor     \y, \y, T
.endm

/* Row 1 comes from the next pair, row 2, shifted by 3, from the one before; the first and last are neighbours. */
.macro encrypt_shift_rows
    arrange Y0, X0, xperm8, ROW_1_SWAPPED, X1, and, ROW_2, X3
    arrange Y1, X1, xperm8, ROW_1_SWAPPED, X2, xperm8, ROW_2_SWAPPED, X0
    arrange Y2, X2, xperm8, ROW_1_SWAPPED, X3, xperm8, ROW_2_SWAPPED, X1
    arrange Y3, X3, and, ROW_1, X0, xperm8, ROW_2_SWAPPED, X2
.endm

.macro decrypt_shift_rows
    arrange Y0, X0, and, ROW_1, X3, xperm8, ROW_2_SWAPPED, X1
    arrange Y1, X1, xperm8, ROW_1_SWAPPED, X0, xperm8, ROW_2_SWAPPED, X2
    arrange Y2, X2, xperm8, ROW_1_SWAPPED, X1, xperm8, ROW_2_SWAPPED, X3
    arrange Y3, X3, xperm8, ROW_1_SWAPPED, X2, and, ROW_2, X0
.endm

.macro load_key key
    ld      X0, ROUND_KEY_BYTES*\key(RK)
    ld      X1, ROUND_KEY_BYTES*\key + 8(RK)
    ld      X2, ROUND_KEY_BYTES*\key + 16(RK)
    ld      X3, ROUND_KEY_BYTES*\key + 24(RK)
.endm

.macro add_state
    xor     X0, X0, Y0
    xor     X1, X1, Y1
    xor     X2, X2, Y2
    xor     X3, X3, Y3
.endm

/* The state rests in Y while X takes the round key, early enough that nothing waits for a load. */
.macro round direction, instruction, key
    \direction\()_shift_rows
    load_key \key
    \instruction Y0, Y0, Y0
    \instruction Y1, Y1, Y1
    \instruction Y2, Y2, Y2
    \instruction Y3, Y3, Y3
    add_state
.endm

.macro load_pair y, column
    lw      \y, 4*\column(IN)
    lw      T, 4*\column + 16(IN)
    pack    \y, \y, T
.endm

.macro start key
    load_pair Y0, 0
    load_pair Y1, 1
    load_pair Y2, 2
    load_pair Y3, 3
    load_key \key
    add_state
.endm

.macro store_pair x, column
    sw      \x, 4*\column(OUT)
    srli    \x, \x, 32
    sw      \x, 4*\column + 16(OUT)
.endm

.macro encrypt_block
    start   0
    .irp key, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13
    round   encrypt, aes64esm, \key
    .endr
    round   encrypt, aes64es, 14
.endm

.macro decrypt_block
    start   14
    .irp key, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1
    round   decrypt, aes64dsm, \key
    .endr
    round   decrypt, aes64ds, 0
.endm

.macro functions direction, one_block
    .globl  \one_block
    .type   \one_block, @function
    .globl  rijndael_256_256_ecb_\direction
    .type   rijndael_256_256_ecb_\direction, @function
    .balign 4
\one_block:
    mv      RK, a2
    li      BYTES, BLOCK_BYTES
    j       1f
    .size   \one_block, . - \one_block
rijndael_256_256_ecb_\direction:
    beqz    BYTES, 3f
    or      T, OUT, IN
    andi    T, T, 3
    bnez    T, 4f
1:  addi    sp, sp, -32
    sd      s0, 0(sp)
    sd      s1, 8(sp)
    sd      s2, 16(sp)
    lla     T, selections
    ld      ROWS_0_3, 0(T)
    ld      ROW_1, 8(T)
    ld      ROW_2, 16(T)
    ld      ROW_1_SWAPPED, 24(T)
    ld      ROW_2_SWAPPED, 32(T)
    add     END, IN, BYTES
2:  \direction\()_block
    store_pair X0, 0
    store_pair X1, 1
    store_pair X2, 2
    store_pair X3, 3
    addi    IN, IN, BLOCK_BYTES
    addi    OUT, OUT, BLOCK_BYTES
    bne     IN, END, 2b
    ld      s0, 0(sp)
    ld      s1, 8(sp)
    ld      s2, 16(sp)
    addi    sp, sp, 32
3:  ret
4:  tail    rijndael_256_256_ecb_\direction\()_bytewise
    .size   rijndael_256_256_ecb_\direction, . - rijndael_256_256_ecb_\direction
.endm

    .text
    functions encrypt, rijndael_256_256_block
    functions decrypt, rijndael_256_256_block_decrypt

/* Masks, and indices for xperm8 that take a row's bytes each from the other half; any above 7 gives zero. */
    .section .rodata
    .balign 8
    .type   selections, @object
selections:
    .dword  0xff0000ffff0000ff
    .dword  0x0000ff000000ff00
    .dword  0x00ff000000ff0000
    .dword  0xffff01ffffff05ff
    .dword  0xff02ffffff06ffff
    .size   selections, . - selections

    .section .note.GNU-stack, "", @progbits
