/*
 * Rijndael in ECB, block and key of 256 bits, with Zvkned: a round is a byte shuffle (shuffles.h) and an AES round
 * instruction on both halves.
 *
 * Blocks stand in groups of four registers, up to four groups in flight: one fetch of a round key, by an indexed
 * load that repeats it over a whole group, and one pair of changes of vtype serve all of them. A group's shuffle
 * goes to the group below in one round and back in the next; the group left over at the end takes the round key.
 * Indices of 16 bits reach every byte of a group at any VLEN. Blocks move as bytes, so they need not be aligned.
 * What all that needs beforehand does not pay for a single block, which block.S takes.
 *
 * Contract: rijndael.h. Clobbers a0 to a6, t0 to t5, v0 to v31. Constant time in everything but lengths and addresses.
 */
#include "schedule.h"
#include "shuffles.h"

#define OUT a0
#define IN a1
#define BYTES a2
#define RK a3      /* keys 0 to 3; a4 to a6 point to the fours after them */
#define GROUP t0   /* bytes of a group */
#define WORDS t1   /* of a group: also the bytes of a register */
#define TWO t2     /* bytes of two groups */
#define FOUR t3
#define SOME t4    /* bytes and words of a group that need not be full */
#define SOME_WORDS t5

#define BLOCK_BYTES 32

#define SHUFFLE v0 /* to v7 */

/* v8 to v11: indices of the words of a round key, by its number within four. */
.macro load_round_key to, key
    .irp pointer, 3, 4, 5, 6
    .irp index, 8, 9, 10, 11
    .if 4*(\pointer - 3) + \index - 8 == \key
    vluxei8.v \to, (a\pointer), v\index
    .endif
    .endr
    .endr
.endm

/* Groups: v12, v16, v20, v24, v28; the state begins at v16. */
.macro shuffle_down groups
    vrgatherei16.vv v12, v16, SHUFFLE
    .if \groups > 1
    vrgatherei16.vv v16, v20, SHUFFLE
    .endif
    .if \groups > 2
    vrgatherei16.vv v20, v24, SHUFFLE
    vrgatherei16.vv v24, v28, SHUFFLE
    .endif
.endm

.macro shuffle_up groups
    .if \groups > 2
    vrgatherei16.vv v28, v24, SHUFFLE
    vrgatherei16.vv v24, v20, SHUFFLE
    .endif
    .if \groups > 1
    vrgatherei16.vv v20, v16, SHUFFLE
    .endif
    vrgatherei16.vv v16, v12, SHUFFLE
.endm

.macro each_group_down instruction, groups, key
    \instruction v12, \key
    .if \groups > 1
    \instruction v16, \key
    .endif
    .if \groups > 2
    \instruction v20, \key
    \instruction v24, \key
    .endif
.endm

.macro each_group instruction, groups, key
    \instruction v16, \key
    .if \groups > 1
    \instruction v20, \key
    .endif
    .if \groups > 2
    \instruction v24, \key
    \instruction v28, \key
    .endif
.endm

/* The group whose state the shuffle down has read last. */
.macro round_down instruction, groups, bytes, words, key
    vsetvli zero, \bytes, e8, m4, ta, ma
    shuffle_down \groups
    vsetvli zero, \words, e32, m4, ta, ma
    .if \groups == 1
    load_round_key v16, \key
    each_group_down \instruction, \groups, v16
    .elseif \groups == 2
    load_round_key v20, \key
    each_group_down \instruction, \groups, v20
    .else
    load_round_key v28, \key
    each_group_down \instruction, \groups, v28
    .endif
.endm

.macro round_up instruction, groups, bytes, words, key
    vsetvli zero, \bytes, e8, m4, ta, ma
    shuffle_up \groups
    vsetvli zero, \words, e32, m4, ta, ma
    load_round_key v12, \key
    each_group \instruction, \groups, v12
.endm

.macro whiten register, key
    vxor.vv \register, \register, \key
.endm

/* vtype is that of words before and after. */
.macro encrypt groups, bytes, words
    load_round_key v12, 0
    each_group whiten, \groups, v12
    .irp key, 1, 3, 5, 7, 9, 11
    round_down vaesem.vv, \groups, \bytes, \words, \key
    round_up vaesem.vv, \groups, \bytes, \words, \key + 1
    .endr
    round_down vaesem.vv, \groups, \bytes, \words, 13
    round_up vaesef.vv, \groups, \bytes, \words, 14
.endm

.macro decrypt groups, bytes, words
    load_round_key v12, 14
    each_group whiten, \groups, v12
    .irp key, 13, 11, 9, 7, 5, 3
    round_down vaesdm.vv, \groups, \bytes, \words, \key
    round_up vaesdm.vv, \groups, \bytes, \words, \key - 1
    .endr
    round_down vaesdm.vv, \groups, \bytes, \words, 1
    round_up vaesdf.vv, \groups, \bytes, \words, 0
.endm

/* SHUFFLE[i] = i + (displacement of byte i % 32) */
.macro make_shuffle displacements
    lla     t0, \displacements
    li      t1, 31
    vsetvli t2, zero, e16, m8, ta, ma
    vid.v   SHUFFLE
    vand.vx v8, SHUFFLE, t1
    vadd.vv v8, v8, v8
    vluxei16.v v16, (t0), v8
    vadd.vv SHUFFLE, SHUFFLE, v16
.endm

/* KEY_WORDS over and over: 32 * (i % 4) + (i & 4) */
.macro make_key_indices
    vsetvli WORDS, zero, e8, m1, ta, ma
    vid.v   v8
    vand.vi v9, v8, 3
    vsll.vi v9, v9, 5
    vand.vi v8, v8, 4
    vor.vv  v8, v8, v9
    vadd.vi v9, v8, NEXT_KEY
    vadd.vi v10, v9, NEXT_KEY
    vadd.vi v11, v10, NEXT_KEY
.endm

.macro ecb_function name, direction, displacements, one_block
    .globl  \name
    .type   \name, @function
    .balign 4
\name:
    addi    t0, BYTES, -BLOCK_BYTES
    beqz    t0, 6f
    make_shuffle \displacements
    make_key_indices
    addi    a4, RK, FOUR_KEYS_BYTES
    addi    a5, a4, FOUR_KEYS_BYTES
    addi    a6, a5, FOUR_KEYS_BYTES
    slli    GROUP, WORDS, 2
    slli    TWO, WORDS, 3
    slli    FOUR, WORDS, 4
    vsetvli zero, WORDS, e32, m4, ta, ma
    bltu    BYTES, FOUR, 2f
1:  vl8re8.v v16, (IN)
    add     IN, IN, TWO
    vl8re8.v v24, (IN)
    add     IN, IN, TWO
    \direction 4, GROUP, WORDS
    vs8r.v  v16, (OUT)
    add     OUT, OUT, TWO
    vs8r.v  v24, (OUT)
    add     OUT, OUT, TWO
    sub     BYTES, BYTES, FOUR
    bgeu    BYTES, FOUR, 1b
2:  bltu    BYTES, TWO, 3f
    vl8re8.v v16, (IN)
    add     IN, IN, TWO
    \direction 2, GROUP, WORDS
    vs8r.v  v16, (OUT)
    add     OUT, OUT, TWO
    sub     BYTES, BYTES, TWO
3:  beqz    BYTES, 5f
    mv      SOME, BYTES
    bleu    BYTES, GROUP, 4f
    mv      SOME, GROUP
4:  vsetvli zero, SOME, e8, m4, ta, ma
    vle8.v  v16, (IN)
    add     IN, IN, SOME
    srli    SOME_WORDS, SOME, 2
    vsetvli zero, SOME_WORDS, e32, m4, ta, ma
    \direction 1, SOME, SOME_WORDS
    vsetvli zero, SOME, e8, m4, ta, ma
    vse8.v  v16, (OUT)
    add     OUT, OUT, SOME
    sub     BYTES, BYTES, SOME
    mv      SOME, BYTES
    bnez    BYTES, 4b
5:  ret
6:  mv      a2, RK
    j       \one_block
    .size   \name, . - \name
.endm

/* A shuffle as displacements: 16 bits each, taken less the byte's own number. */
.macro displacements name, shuffle:vararg
    .type   \name, @object
\name:
    .set    own, 0
    .irp byte, \shuffle
    .half   (\byte - own) & 0xffff
    .set    own, own + 1
    .endr
    .size   \name, . - \name
.endm

    .text
    ecb_function rijndael_256_256_ecb_encrypt, encrypt, encrypt_displacements, rijndael_256_256_block
    ecb_function rijndael_256_256_ecb_decrypt, decrypt, decrypt_displacements, rijndael_256_256_block_decrypt

    .section .rodata
    .balign 64
    displacements encrypt_displacements, ENCRYPT_SHUFFLE
    displacements decrypt_displacements, DECRYPT_SHUFFLE

    .section .note.GNU-stack, "", @progbits
