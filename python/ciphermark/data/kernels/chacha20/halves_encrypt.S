/* ChaCha20 encryption on halves (see halves.h), for each folder whose quarter_round.h says what the steps are. */
#include "quarter_round.h"

#include "halves.h"

#define OUT a0
#define IN a1
#define END a2 /* of the whole blocks of the input */

/* The initial state by columns. */
#define IAD0 a3
#define IAD1 a4
#define IAD2 s0
#define IAD3 s1
#define IBC0 s2
#define IBC1 s3
#define IBC2 s4
#define IBC3 s5

/* After the first round: the diagonals without a word of column 0, and the halves that share one with such a word. */
#define FIRST_DAD2 s6
#define FIRST_DAD3 s7
#define FIRST_DBC0 s8
#define FIRST_DBC1 s9
#define FIRST_A1_D3 s10
#define FIRST_B3_C1 s11

#define ARGUMENT(i) (96 + 8 * (i))
#define STACK_BYTES 128

.macro each_saved instruction
    \instruction s0, 0(sp)
    \instruction s1, 8(sp)
    \instruction s2, 16(sp)
    \instruction s3, 24(sp)
    \instruction s4, 32(sp)
    \instruction s5, 40(sp)
    \instruction s6, 48(sp)
    \instruction s7, 56(sp)
    \instruction s8, 64(sp)
    \instruction s9, 72(sp)
    \instruction s10, 80(sp)
    \instruction s11, 88(sp)
.endm

.macro start_without_column_0
    quarter_round AD1, BC1, IAD1, IBC1, T
    quarter_round AD2, BC2, IAD2, IBC2, T
    quarter_round AD3, BC3, IAD3, IBC3, T
    chacha.packhl FIRST_DAD2, AD1, AD2
    chacha.packhl FIRST_DAD3, AD2, AD3
    chacha.packhl FIRST_DBC0, BC2, BC1
    chacha.packhl FIRST_DBC1, BC3, BC2
    chacha.packhl FIRST_A1_D3, AD3, AD1
    chacha.packhl FIRST_B3_C1, BC1, BC3
.endm

.macro start_with_column_0
    quarter_round AD0, BC0, IAD0, IBC0, T
    chacha.packhl DAD0, FIRST_A1_D3, AD0
    chacha.packhl DAD1, AD0, FIRST_A1_D3
    chacha.packhl DBC3, FIRST_B3_C1, BC0
    chacha.packhl DBC2, BC0, FIRST_B3_C1
    quarter_round DAD0, DBC0, DAD0, FIRST_DBC0, DT
    quarter_round DAD1, DBC1, DAD1, FIRST_DBC1, DT
    quarter_round DAD2, DBC2, FIRST_DAD2, DBC2, DT
    quarter_round DAD3, DBC3, FIRST_DAD3, DBC3, DT
.endm

.macro xor_pair x, t, offset
    ld      \t, \offset(IN)
    xor     \x, \x, \t
    sd      \x, \offset(OUT)
.endm

/* Two words of the block from the upper halves of \x and \y. */
.macro finish_upper x, y, initial_x, initial_y, offset
    add_high U, \x, \initial_x
    add_high DT, \y, \initial_y
    chacha.packh U, U, DT
    xor_pair U, DT, \offset
.endm

/* From the lower halves; the upper ones are lost. */
.macro finish_lower x, y, initial_x, initial_y, offset
    add     \x, \x, \initial_x
    add     \y, \y, \initial_y
    chacha.pack U, \x, \y
    xor_pair U, DT, \offset
.endm

    .text
    .globl  chacha20_encrypt
    .type   chacha20_encrypt, @function
    .balign 4
chacha20_encrypt:
    or      t0, a0, a1
    or      t1, a3, a4
    or      t0, t0, t1
    andi    t0, t0, 7
    bnez    t0, 1f
    andi    t0, a2, -64
    bnez    t0, 2f
1:  li      a5, 0
    j       chacha20_encrypt_bytewise

2:  addi    sp, sp, -STACK_BYTES
    each_saved sd
    sd      a2, ARGUMENT(0)(sp)
    sd      a3, ARGUMENT(1)(sp)
    sd      a4, ARGUMENT(2)(sp)
    add     END, IN, t0

    lla     T, constants
    ld      AD0, 0(T)
    ld      AD1, 8(T)
    ld      AD2, 0(a4)
    ld      AD3, 8(a4)
    ld      BC0, 0(a3)
    ld      BC1, 8(a3)
    ld      BC2, 16(a3)
    ld      BC3, 24(a3)
    chacha.pack  IAD0, AD2, AD0
    chacha.packh IAD1, AD2, AD0
    chacha.pack  IAD2, AD3, AD1
    chacha.packh IAD3, AD3, AD1
    chacha.pack  IBC0, BC2, BC0
    chacha.packh IBC1, BC2, BC0
    chacha.pack  IBC2, BC3, BC1
    chacha.packh IBC3, BC3, BC1
    start_without_column_0

3:  start_with_column_0
    remaining_rounds
    finish_upper DAD0, DAD1, IAD0, IAD1, 0
    finish_upper DAD2, DAD3, IAD2, IAD3, 8
    finish_upper DBC3, DBC0, IBC0, IBC1, 16
    finish_upper DBC1, DBC2, IBC2, IBC3, 24
    finish_lower DBC2, DBC3, IBC0, IBC1, 32
    finish_lower DBC0, DBC1, IBC2, IBC3, 40
    finish_lower DAD1, DAD2, IAD0, IAD1, 48
    finish_lower DAD3, DAD0, IAD2, IAD3, 56
    addi    T, IAD0, 1
    chacha.packhl IAD0, T, IAD0     /* no carry from the block's number into the constant */
    addi    IN, IN, 64
    addi    OUT, OUT, 64
    bltu    IN, END, 3b

    ld      t0, ARGUMENT(0)(sp)
    ld      a3, ARGUMENT(1)(sp)
    ld      a4, ARGUMENT(2)(sp)
    each_saved ld
    addi    sp, sp, STACK_BYTES
    andi    a2, t0, 63
    srli    a5, t0, 6
    bnez    a2, 4f
    ret
4:  j       chacha20_encrypt_bytewise
    .size   chacha20_encrypt, . - chacha20_encrypt

    .section .rodata
    .balign 8
constants:
    .ascii  "expand 32-byte k"

    .section .note.GNU-stack, "", @progbits
