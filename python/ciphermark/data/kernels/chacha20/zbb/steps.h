/* ChaCha20's steps with Zbb's rotations to the right. What words.h asks for. */
#ifndef CIPHERMARK_CHACHA20_ZBB_STEPS_H
#define CIPHERMARK_CHACHA20_ZBB_STEPS_H

#define FRAME_WORD 4
#define LOAD_WORD lw
#define STORE_WORD sw

.macro add_words to, x, y
    add     \to, \x, \y
.endm

.macro xor_rotate to, x, y, n, t
    xor     \to, \x, \y
#if __riscv_xlen == 64
    roriw   \to, \to, 32 - \n
#else
    rori    \to, \to, 32 - \n
#endif
.endm

#endif
