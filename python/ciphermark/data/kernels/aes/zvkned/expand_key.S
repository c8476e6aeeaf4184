/*
 * AES key expansion with vaeskf1 and vaeskf2 (RISC-V Cryptography Extensions Volume II, Zvkned); the layout is
 * round_keys.h's, the same for encryption and decryption.
 *
 * Contract: aes.h. a0 = schedule, a1 = key at any alignment.
 * Clobbers a1, t0, v0 to v15 and v19 to v21.
 * Constant time: no branch or address depends on the key; every instruction is on Zvkt's list, or always so.
 */
#include "round_keys.h"

.macro expand_function key_bits
    .globl  aes_\key_bits\()_expand_key
    .type   aes_\key_bits\()_expand_key, @function
    .globl  aes_\key_bits\()_expand_key_decrypt
    .type   aes_\key_bits\()_expand_key_decrypt, @function
    .balign 4
aes_\key_bits\()_expand_key:
aes_\key_bits\()_expand_key_decrypt:
.endm

.macro expand_end key_bits
    ret
    .size   aes_\key_bits\()_expand_key, . - aes_\key_bits\()_expand_key
    .size   aes_\key_bits\()_expand_key_decrypt, . - aes_\key_bits\()_expand_key_decrypt
.endm

/* Two registers of key bytes; `offset` is where the second begins. */
.macro load_key first, second, offset
    vsetivli zero, 16, e8, m1, ta, ma
    vle8.v  \first, (a1)
    addi    a1, a1, \offset
    vle8.v  \second, (a1)
.endm

    .text

    expand_function 128
    vsetivli zero, 16, e8, m1, ta, ma
    vle8.v  v0, (a1)
    vsetivli zero, 4, e32, m1, ta, ma
    vaeskf1.vi v1, v0, 1
    vaeskf1.vi v2, v1, 2
    vaeskf1.vi v3, v2, 3
    vaeskf1.vi v4, v3, 4
    vaeskf1.vi v5, v4, 5
    vaeskf1.vi v6, v5, 6
    vaeskf1.vi v7, v6, 7
    vaeskf1.vi v8, v7, 8
    vaeskf1.vi v9, v8, 9
    vaeskf1.vi v10, v9, 10
    move_round_keys vs, 128, a0, t0
    expand_end 128

/* vaeskf2 replaces its destination, the key before the last, so two keys at a time are copied and then stepped. */
.macro next_two copy, first, second, before, round
    \copy   \first, \before
    vaeskf2.vi \first, v\round, \round + 1
    .if \round < 13
    vaeskf2.vi \second, \first, \round + 2
    .endif
.endm

    expand_function 256
    load_key v0, v1, 16
    vsetivli zero, 4, e32, m1, ta, ma
    next_two vmv2r.v, v2, v3, v0, 1
    next_two vmv2r.v, v4, v5, v2, 3
    next_two vmv2r.v, v6, v7, v4, 5
    next_two vmv2r.v, v8, v9, v6, 7
    next_two vmv2r.v, v10, v11, v8, 9
    next_two vmv2r.v, v12, v13, v10, 11
    next_two vmv1r.v, v14, v15, v12, 13
    move_round_keys vs, 256, a0, t0
    expand_end 256

/*
 * AES-192. No instruction makes six words, but vaeskf2 with an even round number is, for words a = w[0..3] and any
 * register whose last word is w[5], the next a. The other two new words come from the overlapping window
 * d = w[2..5], if its first word has taken up w[0] and w[1] before; and w[0] + w[1] is w[1] of six words earlier.
 * The windows are round keys themselves two times out of three; the third lies across them.
 */
#define FIRST v0 /* mask of word 0 */
#define SUM v19  /* all but word 0 are zero */

.macro next_a to, a, d, step
    vmv1r.v \to, \a
    vaeskf2.vi \to, \d, 2*(\step)
.endm

.macro next_d to, a_before, d, step
    vslidedown.vi SUM, \a_before, 1, v0.t
    vxor.vv \to, \d, SUM
    vaeskf2.vi \to, \d, 2*(\step)
.endm

.macro across to, d, a
    vslidedown.vi \to, \d, 2
    vslideup.vi \to, \a, 2
.endm

/* a is that of step - 1; v20 holds its d, v21 the a before. In the end they are those of the next two steps. */
.macro next_three_keys a, middle, d, next_a, step
    next_d  \d, v21, v20, \step
    next_a  v21, \a, v20, \step
    across  \middle, v20, v21
    .if \step < 7
    next_a  \next_a, v21, \d, \step + 1
    next_d  v20, \a, \d, \step + 1
    .endif
.endm

/* Round constant 8 is 0x80, which vaeskf2 does not have: it adds 1, and this the difference. */
#define CONSTANT_8_AND_1 0x81

    expand_function 192
    load_key v1, v20, 8
    vsetivli zero, 4, e32, m1, tu, mu
    vmv.v.i FIRST, 1
    vmv.v.i SUM, 0
    vslideup.vi v21, v1, 1
    vxor.vv v21, v21, v1
    next_three_keys v1, v2, v3, v4, 1
    next_three_keys v4, v5, v6, v7, 3
    next_three_keys v7, v8, v9, v10, 5
    next_three_keys v10, v11, v12, v13, 7
    li      t0, CONSTANT_8_AND_1
    vmv.v.i v13, 0
    vmv.s.x v13, t0
    vxor.vv v13, v13, v21
    vaeskf2.vi v13, v12, 2
    vsseg8e32.v v1, (a0)
    addi    t0, a0, GROUP_OF_KEYS
    vsseg5e32.v v9, (t0)
    expand_end 192

    .section .note.GNU-stack, "", @progbits
