/*
 * AES-256 in ECB with Zvkned on single vector registers, in the structure that M.-J. Saarinen published and measured
 * (mjosaarinen/rij256-rv, 2025): two blocks per iteration at VLEN 256, round keys by consecutive loads.
 *
 * Contract: aes.h, except that key and data must be aligned to words (limit aligned). Schedule: the fifteen round
 * keys in order, for both directions.
 * Clobbers a0 to a3, t0, t1, v0 to v15. Constant time in everything but lengths and addresses.
 */
#define OUT a0
#define IN a1
#define WORDS a2
#define RK a3
#define GROUP t0 /* words of an iteration */
#define BYTES t1
#define STATE v15

.macro put key
    vse32.v \key, (a0)
.endm

.macro put_next key
    addi    a0, a0, 16
    put     \key
.endm

/* vaeskf2 makes a key of the one before and, in its own place, the one before that. */
.macro next_in_place key, before, round
    vaeskf2.vi \key, \before, \round
    put_next \key
.endm

/* A copy lets the step begin while the older key is still being stored. */
.macro next_copied key, older, before, round
    vmv1r.v \key, \older
    next_in_place \key, \before, \round
.endm

    .text
    .globl  aes_256_expand_key
    .type   aes_256_expand_key, @function
    .globl  aes_256_expand_key_decrypt
    .type   aes_256_expand_key_decrypt, @function
    .balign 4
aes_256_expand_key:
aes_256_expand_key_decrypt:
    vsetivli zero, 4, e32, m1, ta, ma
    vle32.v v0, (a1)
    addi    a1, a1, 16
    vle32.v v1, (a1)
    put     v0
    put_next v1
    next_in_place v0, v1, 2
    next_in_place v1, v0, 3
    next_in_place v0, v1, 4
    next_in_place v1, v0, 5
    next_copied v2, v0, v1, 6
    next_copied v3, v1, v2, 7
    next_copied v4, v2, v3, 8
    next_copied v5, v3, v4, 9
    next_copied v6, v4, v5, 10
    next_copied v7, v5, v6, 11
    next_copied v8, v6, v7, 12
    next_copied v9, v7, v8, 13
    next_copied v10, v8, v9, 14
    ret
    .size   aes_256_expand_key, . - aes_256_expand_key
    .size   aes_256_expand_key_decrypt, . - aes_256_expand_key_decrypt

.macro each_round instruction, keys:vararg
    .irp key, \keys
    \instruction STATE, v\key
    .endr
.endm

.macro encrypt
    vaesz.vs STATE, v0
    each_round vaesem.vs, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13
    vaesef.vs STATE, v14
.endm

.macro decrypt
    vaesz.vs STATE, v14
    each_round vaesdm.vs, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1
    vaesdf.vs STATE, v0
.endm

/* vl is set anew only for a last iteration that is shorter. */
.macro ecb_function direction
    .globl  aes_256_ecb_\direction
    .type   aes_256_ecb_\direction, @function
    .balign 4
aes_256_ecb_\direction:
    srli    WORDS, WORDS, 2
    beqz    WORDS, 3f
    vsetivli zero, 4, e32, m1, ta, ma
    vle32.v v0, (RK)
    .irp key, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14
    addi    RK, RK, 16
    vle32.v v\key, (RK)
    .endr
    vsetvli GROUP, zero, e32, m1, ta, ma
1:  bleu    GROUP, WORDS, 2f
    mv      GROUP, WORDS
    vsetvli zero, GROUP, e32, m1, ta, ma
2:  vle32.v STATE, (IN)
    slli    BYTES, GROUP, 2
    sub     WORDS, WORDS, GROUP
    add     IN, IN, BYTES
    \direction
    vse32.v STATE, (OUT)
    add     OUT, OUT, BYTES
    bnez    WORDS, 1b
3:  ret
    .size   aes_256_ecb_\direction, . - aes_256_ecb_\direction
.endm

    ecb_function encrypt
    ecb_function decrypt

    .section .note.GNU-stack, "", @progbits
