/*
 * ChaCha20 encryption as published for Vector 1 (Marshall, Page, Pham, ASAP 2021): a block in each lane of v0 to v15,
 * LMUL 1. 39 + 1747 g instructions for g groups of up to VLEN / 32 blocks.
 *
 * Contract: chacha20.h within the limits of the manifest. Clobbers a0 to a2, a5, t0 to t5, all vector registers.
 * The loops are theirs to the instruction, except that theirs takes what the first group had from the blocks left,
 * and so never ends if the last group is a smaller one. Like theirs this counts bytes left, which nobody reads, and
 * blocks left twice. They need two counts for a partial block, which they leave to the caller; rounding up for it cost
 * them the instruction that loads the first block's number here, which their call has in a register. They load the
 * nonce's words by `ld`, of which one is misaligned: their totals are some 200 higher, about what its emulation takes.
 *
 * Constant time: no table is indexed and no branch taken by data.
 */

#define OUT a0
#define IN a1
#define BYTES a2
#define KEY a3
#define IV a4

#define NUMBER a5    /* of the group's first block */
#define ROUNDS t2    /* pairs left */
#define TO_MIX t3    /* blocks left */
#define TO_WRITE t4  /* likewise */
#define GROUP t5     /* blocks written */

/* Initial state: v16 to v31, all but the numbers, for which there is no register beside T. */
#define NUMBERS v28
#define T v28

.macro rotate x, n
    vsll.vi T, \x, \n
    vsrl.vi \x, \x, 32 - \n
    vor.vv  \x, \x, T
.endm

/* \x += \y; \z = (\z ^ \x) <<< \n */
.macro step x, y, z, n
    vadd.vv \x, \x, \y
    vxor.vv \z, \z, \x
    rotate  \z, \n
.endm

.macro quarter_round a, b, c, d
    step    \a, \b, \d, 16
    step    \c, \d, \b, 12
    step    \a, \b, \d, 8
    step    \c, \d, \b, 7
.endm

.macro initial_constant word, value
    li      t0, \value
    vmv.v.x \word, t0
.endm

.macro initial_word word, offset, from
    lw      t0, \offset(\from)
    vmv.v.x \word, t0
.endm

.macro number_blocks
    vid.v   NUMBERS
    vadd.vx NUMBERS, NUMBERS, NUMBER
.endm

/* \operation word of the state, initial word */
.macro each_word operation
    \operation v0, v16
    \operation v1, v17
    \operation v2, v18
    \operation v3, v19
    \operation v4, v20
    \operation v5, v21
    \operation v6, v22
    \operation v7, v23
    \operation v8, v24
    \operation v9, v25
    \operation v10, v26
    \operation v11, v27
    \operation v12, NUMBERS
    \operation v13, v29
    \operation v14, v30
    \operation v15, v31
.endm

.macro begin_word word, initial
    vmv.v.v \word, \initial
.endm

.macro add_initial word, initial
    vadd.vv \word, \word, \initial
.endm

/* A word of each block, 64 bytes apart, then on to the next word, or back to the first. */
.macro xor_word word, advance=4
    vlse32.v T, (IN), t0
    vxor.vv \word, \word, T
    vsse32.v \word, (OUT), t0
    addi    IN, IN, \advance
    addi    OUT, OUT, \advance
.endm

    .text
    .globl  chacha20_encrypt
    .type   chacha20_encrypt, @function
    .balign 4
chacha20_encrypt:
    srli    TO_WRITE, BYTES, 6
    mv      TO_MIX, TO_WRITE
    lw      NUMBER, 0(IV)
    vsetvli zero, TO_MIX, e32, m1, ta, ma
    initial_constant v16, 0x61707865    /* "expand 32-byte k" */
    initial_constant v17, 0x3320646e
    initial_constant v18, 0x79622d32
    initial_constant v19, 0x6b206574
    initial_word v20, 0, KEY
    initial_word v21, 4, KEY
    initial_word v22, 8, KEY
    initial_word v23, 12, KEY
    initial_word v24, 16, KEY
    initial_word v25, 20, KEY
    initial_word v26, 24, KEY
    initial_word v27, 28, KEY
    initial_word v29, 4, IV
    initial_word v30, 8, IV
    initial_word v31, 12, IV

1:  number_blocks
    each_word begin_word
    li      ROUNDS, 10
2:  quarter_round v0, v4, v8, v12
    quarter_round v1, v5, v9, v13
    quarter_round v2, v6, v10, v14
    quarter_round v3, v7, v11, v15
    quarter_round v0, v5, v10, v15
    quarter_round v1, v6, v11, v12
    quarter_round v2, v7, v8, v13
    quarter_round v3, v4, v9, v14
    addi    ROUNDS, ROUNDS, -1
    bnez    ROUNDS, 2b
    number_blocks
    each_word add_initial

    vsetvli GROUP, TO_WRITE, e32, m1, ta, ma
    li      t0, 64
    .irp word, v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14
    xor_word \word
    .endr
    xor_word v15, -60
    slli    t0, GROUP, 6
    add     OUT, OUT, t0
    add     IN, IN, t0
    sub     BYTES, BYTES, t0
    sub     TO_MIX, TO_MIX, GROUP
    sub     TO_WRITE, TO_WRITE, GROUP
    add     NUMBER, NUMBER, GROUP
    bnez    TO_MIX, 1b
    ret
    .size   chacha20_encrypt, . - chacha20_encrypt

    .section .note.GNU-stack, "", @progbits
