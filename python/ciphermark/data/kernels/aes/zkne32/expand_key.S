/*
 * AES key expansion (FIPS 197, section 5.2) for encryption, with aes32esi as S-box.
 *
 * Contract: aes.h. a0 = schedule, a1 = key; layout as in schedule.h. A key that is not aligned to 4 bytes is copied
 * first.
 * Clobbers a2..a4, t0..t6 (and what C may when the key is unaligned).
 * Constant time: no branch or address depends on the key.
 */
#include "key_words.h"

#define A a3
#define B a4

/* W0 ^= SubWord(RotWord(last)) ^ rcon, and the three words that follow from it. */
.macro first_four last, rcon
    rotate  A, \last, B
    xori    W0, W0, \rcon
    substitute W0, W0, A
    xor     W1, W1, W0
    xor     W2, W2, W1
    xor     W3, W3, W2
.endm

.macro step_128 n, rcon
    first_four W3, \rcon
    put_four W0, W1, W2, W3, ENCRYPTION_WORD(10, 4*\n)
.endm

.macro step_192 n, rcon
    first_four W5, \rcon
    xor     W4, W4, W3
    xor     W5, W5, W4
    put_four W0, W1, W2, W3, ENCRYPTION_WORD(12, 6*\n)
    put_two W4, W5, ENCRYPTION_WORD(12, 6*\n + 4)
.endm

.macro step_256 n, rcon
    first_four W7, \rcon
    put_four W0, W1, W2, W3, ENCRYPTION_WORD(14, 8*\n)
    substitute W4, W4, W3
    xor     W5, W5, W4
    xor     W6, W6, W5
    xor     W7, W7, W6
    put_four W4, W5, W6, W7, ENCRYPTION_WORD(14, 8*\n + 4)
.endm

    .text

    expand_function aes_128_expand_key
    load_four W0, W1, W2, W3, 0
    put_four W0, W1, W2, W3, ENCRYPTION_WORD(10, 0)
    steps_1_to_9 step_128
    step_128 10, RCON_10
    expand_end aes_128_expand_key

    expand_function aes_192_expand_key
    load_four W0, W1, W2, W3, 0
    lw      W4, 16(a1)
    lw      W5, 20(a1)
    put_four W0, W1, W2, W3, ENCRYPTION_WORD(12, 0)
    put_two W4, W5, ENCRYPTION_WORD(12, 4)
    steps_1_to_7 step_192
    first_four W5, RCON_8
    put_four W0, W1, W2, W3, ENCRYPTION_WORD(12, 48)
    expand_end aes_192_expand_key

    expand_function aes_256_expand_key
    load_four W0, W1, W2, W3, 0
    load_four W4, W5, W6, W7, 16
    put_four W0, W1, W2, W3, ENCRYPTION_WORD(14, 0)
    put_four W4, W5, W6, W7, ENCRYPTION_WORD(14, 4)
    steps_1_to_6 step_256
    first_four W7, RCON_7
    put_four W0, W1, W2, W3, ENCRYPTION_WORD(14, 56)
    expand_end aes_256_expand_key

    .section .note.GNU-stack, "", @progbits
