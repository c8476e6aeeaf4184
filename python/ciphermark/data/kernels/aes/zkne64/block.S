/*
 * AES, one block, with the RV64 scalar-cryptography instructions (RISC-V Cryptography Extensions Volume I, Zkne and
 * Zknd; Marshall, Newell, Page, Saarinen, Wolf, TCHES 2021, variant 4).
 *
 * Contract: aes.h, except that `out` and `in` must be 8-byte aligned (limit aligned_block): two loads, 22 round-key
 * units, 20 round instructions, 22 exclusive-ors, two stores and the return are the whole of AES-128.
 * Clobbers t0..t6 only; the modes rely on that.
 * Constant time: no branch or address depends on the key or the data; aes64* have data-independent timing (Zkt).
 */
#define RK a2
#define K0 t3
#define K1 t4
#define K2 t5
#define K3 t6

#include "round_keys.h"

.macro add_round_key lo, hi
    xor     t0, t0, \lo
    xor     t1, t1, \hi
.endm

.macro round instruction, lo, hi
    \instruction t2, t0, t1
    \instruction t1, t1, t0
    xor     t0, t2, \lo
    xor     t1, t1, \hi
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

.macro block_function name, direction, key_bits
    .globl  \name
    .type   \name, @function
    .balign 4
\name:
    ld      t0, 0(a1)
    ld      t1, 8(a1)
    \direction\()_\key_bits add_round_key, \direction\()_round, \direction\()_last_round
    sd      t0, 0(a0)
    sd      t1, 8(a0)
    ret
    .size   \name, . - \name
.endm

    .text
    .irp key_bits, 128, 192, 256
    block_function aes_\key_bits\()_block, encrypt, \key_bits
    block_function aes_\key_bits\()_block_decrypt, decrypt, \key_bits
    .endr

    .section .note.GNU-stack, "", @progbits
