/* Reading a block of big-endian words, byte by byte, for compress.h. */
#ifndef CIPHERMARK_SHA2_LOAD_BYTES_H
#define CIPHERMARK_SHA2_LOAD_BYTES_H

static inline uint32_t load_be32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline word load_word(const uint8_t *p)
{
#if WORD_BYTES == 8
    return (word)load_be32(p) << 32 | load_be32(p + 4);
#else
    return load_be32(p);
#endif
}

static inline void load_block(word w[16], const uint8_t *data)
{
    for (unsigned i = 0; i < 16; i++)
        w[i] = load_word(data + WORD_BYTES * i);
}

#endif
