/*
 * What a compiler may call in freestanding code. A call from a kernel counts as the kernel's instructions, so these
 * move whole words where both ends allow it, as a small libc would.
 */
#include <stddef.h>
#include <stdint.h>

/* A word that may alias anything. */
typedef uintptr_t __attribute__((may_alias)) word;

#define WORD_MASK (sizeof(word) - 1)

void *memcpy(void *restrict to, const void *restrict from, size_t bytes)
{
    unsigned char *out = to;
    const unsigned char *in = from;
    if ((((uintptr_t)out | (uintptr_t)in) & WORD_MASK) == 0) {
        for (; bytes >= sizeof(word); bytes -= sizeof(word)) {
            *(word *)out = *(const word *)in;
            out += sizeof(word);
            in += sizeof(word);
        }
    }
    while (bytes--)
        *out++ = *in++;
    return to;
}

void *memmove(void *to, const void *from, size_t bytes)
{
    unsigned char *out = to;
    const unsigned char *in = from;
    if ((uintptr_t)out - (uintptr_t)in >= bytes)
        return memcpy(to, from, bytes);
    while (bytes--)
        out[bytes] = in[bytes];
    return to;
}

void *memset(void *to, int value, size_t bytes)
{
    unsigned char *out = to;
    if (((uintptr_t)out & WORD_MASK) == 0) {
        word pattern = (unsigned char)value;
        pattern |= pattern << 8;
        pattern |= pattern << 16;
#if __riscv_xlen == 64
        pattern |= pattern << 32;
#endif
        for (; bytes >= sizeof(word); bytes -= sizeof(word)) {
            *(word *)out = pattern;
            out += sizeof(word);
        }
    }
    while (bytes--)
        *out++ = (unsigned char)value;
    return to;
}

int memcmp(const void *left, const void *right, size_t bytes)
{
    const unsigned char *a = left, *b = right;
    for (; bytes--; a++, b++) {
        if (*a != *b)
            return *a - *b;
    }
    return 0;
}
