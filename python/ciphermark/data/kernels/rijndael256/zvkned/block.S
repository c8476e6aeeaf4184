/*
 * Rijndael, one block and key of 256 bits, with Zvkned: a byte shuffle and an AES round instruction a round. A block
 * is in two registers at VLEN 128 and in the lower of two beyond.
 *
 * Contract: rijndael.h. Clobbers a2 to a5, t0 to t2, v0 to v11 and v16. Constant time: no branch or address depends on
 * the key or the data.
 */
#include "schedule.h"
#include "shuffles.h"

#define OUT a0
#define IN a1
#define RK a2 /* keys 0 to 3; a3 to a5 point to the fours after them */
#define BLOCK_BYTES t0

#define SHUFFLE v2
#define X v4
#define Y v6
#define KEY v16

/* v8 to v11: indices of the words of a round key, by its number within four. */
.macro load_round_key key
    .irp pointer, 2, 3, 4, 5
    .irp index, 8, 9, 10, 11
    .if 4*(\pointer - 2) + \index - 8 == \key
    vluxei8.v KEY, (a\pointer), v\index
    .endif
    .endr
    .endr
.endm

.macro round instruction, to, from, key
    vsetvli zero, BLOCK_BYTES, e8, m2, ta, ma
    vrgather.vv \to, \from, SHUFFLE
    vsetivli zero, 8, e32, m2, ta, ma
    load_round_key \key
    \instruction \to, KEY
.endm

.macro encrypt
    .irp key, 1, 3, 5, 7, 9, 11
    round vaesem.vv, Y, X, \key
    round vaesem.vv, X, Y, \key + 1
    .endr
    round   vaesem.vv, Y, X, 13
    round   vaesef.vv, X, Y, 14
.endm

.macro decrypt
    .irp key, 13, 11, 9, 7, 5, 3
    round vaesdm.vv, Y, X, \key
    round vaesdm.vv, X, Y, \key - 1
    .endr
    round   vaesdm.vv, Y, X, 1
    round   vaesdf.vv, X, Y, 0
.endm

.macro block_function name, direction, shuffle, first_key
    .globl  \name
    .type   \name, @function
    .balign 4
\name:
    lla     t1, key_words
    lla     t2, \shuffle
    addi    a3, RK, FOUR_KEYS_BYTES
    addi    a4, a3, FOUR_KEYS_BYTES
    addi    a5, a4, FOUR_KEYS_BYTES
    vsetivli zero, 8, e8, m1, ta, ma
    vle8.v  v8, (t1)
    vadd.vi v9, v8, NEXT_KEY
    vadd.vi v10, v9, NEXT_KEY
    vadd.vi v11, v10, NEXT_KEY
    li      BLOCK_BYTES, 32
    vsetvli zero, BLOCK_BYTES, e8, m2, ta, ma
    vle8.v  SHUFFLE, (t2)
    vle8.v  X, (IN)
    vsetivli zero, 8, e32, m2, ta, ma
    load_round_key \first_key
    vxor.vv X, X, KEY
    \direction
    vsetvli zero, BLOCK_BYTES, e8, m2, ta, ma
    vse8.v  X, (OUT)
    ret
    .size   \name, . - \name
.endm

    .text
    block_function rijndael_256_256_block, encrypt, encrypt_shuffle, 0
    block_function rijndael_256_256_block_decrypt, decrypt, decrypt_shuffle, 14

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
    .type   key_words, @object
key_words:
    .byte   KEY_WORDS
    .size   key_words, . - key_words

    .section .note.GNU-stack, "", @progbits
