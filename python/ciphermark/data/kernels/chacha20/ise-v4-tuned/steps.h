/* ChaCha20's steps with XChaChaV4, on two lanes. What words.h asks for. */
#ifndef CIPHERMARK_CHACHA20_ISE_V4_TUNED_STEPS_H
#define CIPHERMARK_CHACHA20_ISE_V4_TUNED_STEPS_H

#include "chacha-v4.h"

#define FRAME_WORD 8
#define LOAD_WORD ld
#define STORE_WORD sd

.macro add_words to, x, y
    chacha.add.v4 \to, \x, \y
.endm

.macro xor_rotate to, x, y, n, t
    chacha.xorrol\n\().v4 \to, \x, \y
.endm

#endif
