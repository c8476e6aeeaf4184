/*
 * Round keys and rounds with Zvkned, for assembly.
 *
 * Schedule: round key i is field i % 8 of a segment of eight at 128 * (i / 8), its word j being segment j. So two
 * segment instructions move it between memory and v0, v1, ..., one round key in each register, at any VLEN; as
 * element group 0 it is what the .vs forms add to every block. Decryption takes the same keys in reverse
 * (vaesdm adds the key before InvMixColumns).
 */
#define GROUP_OF_KEYS 128
#define WORD_STRIDE 32

/* Leaves vtype e32, m1 and vl = 4. The second group's number of fields is what the key size leaves of it. */
.macro move_round_keys instruction, key_bits, rk, second_group
    \instruction\()seg8e32.v v0, (\rk)
    addi    \second_group, \rk, GROUP_OF_KEYS
    .if \key_bits == 128
    \instruction\()seg3e32.v v8, (\second_group)
    .elseif \key_bits == 192
    \instruction\()seg5e32.v v8, (\second_group)
    .else
    \instruction\()seg7e32.v v8, (\second_group)
    .endif
.endm

.macro load_round_keys key_bits, rk, second_group
    vsetivli zero, 4, e32, m1, ta, ma
    move_round_keys vl, \key_bits, \rk, \second_group
.endm

.macro each_state instruction, state, keys:vararg
    .irp key, \keys
    \instruction \state, v\key
    .endr
.endm

/* All rounds after the addition of the first round key, which is `encrypt`'s whitening. */
.macro encrypt_whitened key_bits, state
    each_state vaesem.vs, \state, 1, 2, 3, 4, 5, 6, 7, 8, 9
    .if \key_bits == 128
    vaesef.vs \state, v10
    .elseif \key_bits == 192
    each_state vaesem.vs, \state, 10, 11
    vaesef.vs \state, v12
    .else
    each_state vaesem.vs, \state, 10, 11, 12, 13
    vaesef.vs \state, v14
    .endif
.endm

.macro encrypt key_bits, state
    vaesz.vs \state, v0
    encrypt_whitened \key_bits, \state
.endm

.macro decrypt key_bits, state
    .if \key_bits == 128
    vaesz.vs \state, v10
    .elseif \key_bits == 192
    vaesz.vs \state, v12
    each_state vaesdm.vs, \state, 11, 10
    .else
    vaesz.vs \state, v14
    each_state vaesdm.vs, \state, 13, 12, 11, 10
    .endif
    each_state vaesdm.vs, \state, 9, 8, 7, 6, 5, 4, 3, 2, 1
    vaesdf.vs \state, v0
.endm
