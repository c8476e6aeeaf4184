/*
 * AES, one block, with Zvkned. The block moves as bytes, so that it need not be aligned.
 *
 * Contract: aes.h. Clobbers t0, v0 to v14 and v16.
 * Constant time: no branch or address depends on the key or the data; Zvkned has data-independent timing (Zvkt).
 */
#include "round_keys.h"

.macro block_function name, direction, key_bits
    .globl  \name
    .type   \name, @function
    .balign 4
\name:
    vsetivli zero, 16, e8, m1, ta, ma
    vle8.v  v16, (a1)
    load_round_keys \key_bits, a2, t0
    \direction \key_bits, v16
    vsetivli zero, 16, e8, m1, ta, ma
    vse8.v  v16, (a0)
    ret
    .size   \name, . - \name
.endm

    .text
    .irp key_bits, 128, 192, 256
    block_function aes_\key_bits\()_block, encrypt, \key_bits
    block_function aes_\key_bits\()_block_decrypt, decrypt, \key_bits
    .endr

    .section .note.GNU-stack, "", @progbits
