/* ChaCha20's steps with the base integer instructions: a rotation takes three. What words.h asks for. */
#ifndef CIPHERMARK_CHACHA20_RV64I_STEPS_H
#define CIPHERMARK_CHACHA20_RV64I_STEPS_H

#define FRAME_WORD 4
#define LOAD_WORD lw
#define STORE_WORD sw

.macro add_words to, x, y
    add     \to, \x, \y
.endm

.macro xor_rotate to, x, y, n, t
    xor     \to, \x, \y
    slliw   \t, \to, \n
    srliw   \to, \to, 32 - \n
    or      \to, \to, \t
.endm

#endif
