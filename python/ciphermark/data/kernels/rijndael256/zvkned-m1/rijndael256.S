/*
 * Rijndael with block and key of 256 bits with Zvkned, in the structure that M.-J. Saarinen published and measured
 * (mjosaarinen/rij256-rv, 2025): one block in one vector register, a vrgather and an AES round instruction a step.
 * Where a register is half a block, at VLEN 128, two make one and the round keys are fetched for every block.
 *
 * Contract: rijndael.h, except that key and data must be aligned to words (limit aligned). Schedule: the fifteen
 * round keys in order, for both directions.
 * Clobbers a0 to a3, t0 to t2, v1 to v31. Constant time in everything but lengths and addresses.
 */
#include "shuffles.h"

#define OUT a0
#define IN a1
#define BYTES a2
#define RK a3
#define BLOCK_BYTES t0

#define SHUFFLE v8
#define X v24
#define Y v26
#define KEY v28 /* only where the keys do not all fit */

    .text

.macro put key
    addi    a0, a0, 16
    vse32.v \key, (a0)
.endm

.macro next_two_halves round
    vaeskf2.vi v1, v2, \round
    put     v1
    vaeskf2.vi v2, v1, \round + 1
    put     v2
.endm

/* Beyond the constants that vaeskf2 has: it adds its first, 1, and this the difference. */
.macro next_two_halves_constant constant
    li      t0, \constant ^ 1
    vsetivli zero, 1, e32, m1, tu, ma
    vxor.vx v1, v1, t0
    vsetivli zero, 4, e32, m1, ta, ma
    next_two_halves 2
.endm

    .globl  rijndael_256_256_expand_key
    .type   rijndael_256_256_expand_key, @function
    .globl  rijndael_256_256_expand_key_decrypt
    .type   rijndael_256_256_expand_key_decrypt, @function
    .balign 4
rijndael_256_256_expand_key:
rijndael_256_256_expand_key_decrypt:
    vsetivli zero, 4, e32, m1, ta, ma
    vle32.v v1, (a1)
    addi    a1, a1, 16
    vle32.v v2, (a1)
    vse32.v v1, (a0)
    put     v2
    .irp round, 2, 4, 6, 8, 10, 12, 14
    next_two_halves \round
    .endr
    .irp constant, 0x80, 0x1b, 0x36, 0x6c, 0xd8, 0xab, 0x4d
    next_two_halves_constant \constant
    .endr
    ret
    .size   rijndael_256_256_expand_key, . - rijndael_256_256_expand_key
    .size   rijndael_256_256_expand_key_decrypt, . - rijndael_256_256_expand_key_decrypt

.macro shuffle to, from, lmul
    vsetvli zero, BLOCK_BYTES, e8, \lmul, ta, ma
    vrgather.vv \to, \from, SHUFFLE
    vsetivli zero, 8, e32, \lmul, ta, ma
.endm

/* Keys of the middle rounds, in order, as registers. */
.macro two_rounds instruction, first, second
    shuffle Y, X, m1
    \instruction Y, v\first
    shuffle X, Y, m1
    \instruction X, v\second
.endm

.macro fetched_round instruction, to, from, step
    addi    t1, t1, \step
    vle32.v KEY, (t1)
    shuffle \to, \from, m2
    \instruction \to, KEY
.endm

/* `first` and `last` are keys as they stand in v9 to v23; `base` and `step` say the same of memory. */
.macro ecb_function name, table, middle, final, first, keys, last, base, step
    .globl  \name
    .type   \name, @function
    .balign 4
\name:
    beqz    BYTES, 2f
    lla     t1, \table
    li      BLOCK_BYTES, 32
    vsetvli t2, BLOCK_BYTES, e8, m1, ta, ma
    bne     t2, BLOCK_BYTES, 3f
    vle8.v  SHUFFLE, (t1)
    vsetivli zero, 8, e32, m1, ta, ma
    vle32.v v9, (RK)
    .irp key, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23
    addi    RK, RK, 32
    vle32.v v\key, (RK)
    .endr
1:  vle32.v X, (IN)
    addi    BYTES, BYTES, -32
    addi    IN, IN, 32
    vxor.vv X, X, v\first
    \keys   two_rounds, \middle
    shuffle X, Y, m1
    \final  X, v\last
    vse32.v X, (OUT)
    addi    OUT, OUT, 32
    bnez    BYTES, 1b
2:  ret
3:  vsetvli zero, BLOCK_BYTES, e8, m2, ta, ma
    vle8.v  SHUFFLE, (t1)
    vsetivli zero, 8, e32, m2, ta, ma
4:  vle32.v X, (IN)
    addi    BYTES, BYTES, -32
    addi    IN, IN, 32
    addi    t1, RK, \base
    vle32.v KEY, (t1)
    vxor.vv X, X, KEY
    .rept 6
    fetched_round \middle, Y, X, \step
    fetched_round \middle, X, Y, \step
    .endr
    fetched_round \middle, Y, X, \step
    fetched_round \final, X, Y, \step
    vse32.v X, (OUT)
    addi    OUT, OUT, 32
    bnez    BYTES, 4b
    ret
    .size   \name, . - \name
.endm

/* Thirteen middle rounds leave the state in Y. */
.macro encrypt_keys rounds, instruction
    \rounds \instruction, 10, 11
    \rounds \instruction, 12, 13
    \rounds \instruction, 14, 15
    \rounds \instruction, 16, 17
    \rounds \instruction, 18, 19
    \rounds \instruction, 20, 21
    shuffle Y, X, m1
    \instruction Y, v22
.endm

.macro decrypt_keys rounds, instruction
    \rounds \instruction, 22, 21
    \rounds \instruction, 20, 19
    \rounds \instruction, 18, 17
    \rounds \instruction, 16, 15
    \rounds \instruction, 14, 13
    \rounds \instruction, 12, 11
    shuffle Y, X, m1
    \instruction Y, v10
.endm

    ecb_function rijndael_256_256_ecb_encrypt, encrypt_shuffle, vaesem.vv, vaesef.vv, 9, encrypt_keys, 23, 0, 32
    ecb_function rijndael_256_256_ecb_decrypt, decrypt_shuffle, vaesdm.vv, vaesdf.vv, 23, decrypt_keys, 9, 448, -32

    .section .rodata
    .balign 32
    .type   encrypt_shuffle, @object
encrypt_shuffle:
    .byte   ENCRYPT_SHUFFLE
    .size   encrypt_shuffle, . - encrypt_shuffle
    .type   decrypt_shuffle, @object
decrypt_shuffle:
    .byte   DECRYPT_SHUFFLE
    .size   decrypt_shuffle, . - decrypt_shuffle

    .section .note.GNU-stack, "", @progbits
