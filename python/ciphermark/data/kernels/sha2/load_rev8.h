/*
 * Reading a block of big-endian 64-bit words on RV32 for compress.h: with rev8 (Zbb or Zbkb) where the data is aligned.
 * The instruction is written out, since GCC 12 does not know that Zbkb has it.
 */
#ifndef CIPHERMARK_SHA2_LOAD_REV8_H
#define CIPHERMARK_SHA2_LOAD_REV8_H

#include "load_bytes.h"

#if defined(__riscv_zbb) || defined(__riscv_zbkb)
typedef uint32_t __attribute__((may_alias)) memory_word;

static inline uint32_t reverse_bytes(uint32_t x)
{
    __asm__("rev8 %0, %0" : "+r"(x));
    return x;
}

static inline void load_block_rev8(word w[16], const uint8_t *data)
{
    const memory_word *in = (const memory_word *)data;

    if ((uintptr_t)data % sizeof(memory_word) != 0) {
        load_block(w, data);
        return;
    }
    for (unsigned i = 0; i < 16; i++, in += 2)
        w[i] = (word)reverse_bytes(in[0]) << 32 | reverse_bytes(in[1]);
}

/* From here on, for compress.h. */
#define load_block load_block_rev8
#endif

#endif
