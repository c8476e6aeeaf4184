/* ChaCha20's steps with Zbb's rotations to the right, for interleaved quarter rounds. What words.h asks for. */
#ifndef CIPHERMARK_CHACHA20_ZBB_INTERLEAVED_STEPS_H
#define CIPHERMARK_CHACHA20_ZBB_INTERLEAVED_STEPS_H

#define INTERLEAVED
#define FRAME_WORD 4
#define LOAD_WORD lw
#define STORE_WORD sw

.macro add_words to, x, y
    add     \to, \x, \y
.endm

.macro xor_words to, x, y
    xor     \to, \x, \y
.endm

.macro rotate x, n
#if __riscv_xlen == 64
    roriw   \x, \x, 32 - \n
#else
    rori    \x, \x, 32 - \n
#endif
.endm

.macro xor_rotate to, x, y, n, t
    xor_words \to, \x, \y
    rotate  \to, \n
.endm

#endif
