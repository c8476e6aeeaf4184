/*
 * AES key expansion for the equivalent inverse cipher (FIPS 197, section 5.3.5): InvMixColumns of every round key
 * but the first and last, in the order of decryption.
 *
 * InvMixColumns (a word through aes32esi, then aes32dsmi) costs eight instructions. It is linear, and key expansion
 * is linear but for one or two words in each key length, so only what those add is transformed; D0..D7, the images
 * of W0..W7, then follow by the same exclusive-ors.
 *
 * Contract: aes.h. a0 = schedule, a1 = key. A key that is not aligned to 4 bytes is copied first.
 * Clobbers a1..a7, t0..t6. Constant time: no branch or address depends on the key.
 */
#include "key_words.h"

#define D0 a3
#define D1 a4
#define D2 a5
#define D3 a6
#define D4 a7
#define D5 t6 /* AES-192 has no W6, W7 */
#define D5_256 s0
#define D6 s1
#define D7 s2
#define G a1 /* dead once the key is loaded */
#define SCRATCH_128 t4
#define SCRATCH_192 a2
#define SCRATCH_256 s3

/* to = base ^ InvMixColumns(word) */
.macro add_inverse to, base, word, scratch
    substitute \scratch, zero, \word
    aes32dsmi \to, \base, \scratch, 0
    aes32dsmi \to, \to, \scratch, 1
    aes32dsmi \to, \to, \scratch, 2
    aes32dsmi \to, \to, \scratch, 3
.endm

.macro inverse to, word, scratch
    add_inverse \to, zero, \word, \scratch
.endm

/* W0..W3 and D0..D3 one key length on. */
.macro first_four last, rcon, scratch
    rotate  \scratch, \last, G
    li      G, \rcon
    substitute G, G, \scratch
    add_inverse D0, D0, G, \scratch
    xor     W0, W0, G
    xor     W1, W1, W0
    xor     W2, W2, W1
    xor     W3, W3, W2
    xor     D1, D1, D0
    xor     D2, D2, D1
    xor     D3, D3, D2
.endm

/* The last round key needs no image. */
.macro last_four last, rcon, scratch
    rotate  \scratch, \last, G
    xori    W0, W0, \rcon
    substitute W0, W0, \scratch
    xor     W1, W1, W0
    xor     W2, W2, W1
    xor     W3, W3, W2
.endm

.macro step_128 n, rcon
    first_four W3, \rcon, SCRATCH_128
    put_four D0, D1, D2, D3, DECRYPTION_WORD(4*\n)
.endm

.macro step_192 n, rcon
    first_four W5, \rcon, SCRATCH_192
    xor     W4, W4, W3
    xor     W5, W5, W4
    xor     D4, D4, D3
    xor     D5, D5, D4
    put_two D0, D1, DECRYPTION_WORD(6*\n)
    put_two D2, D3, DECRYPTION_WORD(6*\n + 2)
    put_two D4, D5, DECRYPTION_WORD(6*\n + 4)
.endm

.macro step_256 n, rcon
    first_four W7, \rcon, SCRATCH_256
    put_four D0, D1, D2, D3, DECRYPTION_WORD(8*\n)
    substitute G, zero, W3
    add_inverse D4, D4, G, SCRATCH_256
    xor     W4, W4, G
    xor     W5, W5, W4
    xor     W6, W6, W5
    xor     W7, W7, W6
    xor     D5_256, D5_256, D4
    xor     D6, D6, D5_256
    xor     D7, D7, D6
    put_four D4, D5_256, D6, D7, DECRYPTION_WORD(8*\n + 4)
.endm

.macro inverse_of_four scratch
    inverse D0, W0, \scratch
    inverse D1, W1, \scratch
    inverse D2, W2, \scratch
    inverse D3, W3, \scratch
.endm

    .text

    expand_function aes_128_expand_key_decrypt
    load_four W0, W1, W2, W3, 0
    put_four W0, W1, W2, W3, DECRYPTION_WORD(0)
    inverse_of_four SCRATCH_128
    steps_1_to_9 step_128
    last_four W3, RCON_10, SCRATCH_128
    put_four W0, W1, W2, W3, DECRYPTION_WORD(40)
    expand_end aes_128_expand_key_decrypt

    expand_function aes_192_expand_key_decrypt
    load_four W0, W1, W2, W3, 0
    lw      W4, 16(a1)
    lw      W5, 20(a1)
    put_four W0, W1, W2, W3, DECRYPTION_WORD(0)
    inverse_of_four SCRATCH_192
    inverse D4, W4, SCRATCH_192
    inverse D5, W5, SCRATCH_192
    put_two D4, D5, DECRYPTION_WORD(4)
    steps_1_to_7 step_192
    last_four W5, RCON_8, SCRATCH_192
    put_four W0, W1, W2, W3, DECRYPTION_WORD(48)
    expand_end aes_192_expand_key_decrypt

    expand_function aes_256_expand_key_decrypt
    addi    sp, sp, -16
    sw      s0, 0(sp)
    sw      s1, 4(sp)
    sw      s2, 8(sp)
    sw      s3, 12(sp)
    load_four W0, W1, W2, W3, 0
    load_four W4, W5, W6, W7, 16
    put_four W0, W1, W2, W3, DECRYPTION_WORD(0)
    inverse_of_four SCRATCH_256
    inverse D4, W4, SCRATCH_256
    inverse D5_256, W5, SCRATCH_256
    inverse D6, W6, SCRATCH_256
    inverse D7, W7, SCRATCH_256
    put_four D4, D5_256, D6, D7, DECRYPTION_WORD(4)
    steps_1_to_6 step_256
    last_four W7, RCON_7, SCRATCH_256
    put_four W0, W1, W2, W3, DECRYPTION_WORD(56)
    lw      s0, 0(sp)
    lw      s1, 4(sp)
    lw      s2, 8(sp)
    lw      s3, 12(sp)
    addi    sp, sp, 16
    expand_end aes_256_expand_key_decrypt

    .section .note.GNU-stack, "", @progbits
