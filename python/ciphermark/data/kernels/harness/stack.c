#include "stack.h"

#define PAINT 0x5ca1ab1eu
#define SENTINEL_WORDS 15

extern volatile uint32_t ciphermark_kernel_stack_begin[], ciphermark_kernel_stack_end[], ciphermark_stack_sentinel[];

uintptr_t kernel_stack_end(void)
{
    return (uintptr_t)ciphermark_kernel_stack_end;
}

/* A whole register of paint. The stack is a multiple of EACH of them long; so many at a time, since this is most of what
   a measurement of a short message executes. */
typedef uintptr_t __attribute__((may_alias)) word;
#define EACH 8
#define PAINTED ((word)-1 / 0xffffffffu * PAINT)

void paint_kernel_stack(void)
{
    volatile word *end = (volatile word *)ciphermark_kernel_stack_end;
    for (volatile word *p = (volatile word *)ciphermark_kernel_stack_begin; p < end; p += EACH) {
        p[0] = PAINTED;
        p[1] = PAINTED;
        p[2] = PAINTED;
        p[3] = PAINTED;
        p[4] = PAINTED;
        p[5] = PAINTED;
        p[6] = PAINTED;
        p[7] = PAINTED;
    }
}

static int all_painted(const volatile word *p)
{
    word changed = p[0] ^ PAINTED;
    changed |= p[1] ^ PAINTED;
    changed |= p[2] ^ PAINTED;
    changed |= p[3] ^ PAINTED;
    changed |= p[4] ^ PAINTED;
    changed |= p[5] ^ PAINTED;
    changed |= p[6] ^ PAINTED;
    changed |= p[7] ^ PAINTED;
    return !changed;
}

uint32_t kernel_stack_used(void)
{
    const volatile word *lines = (volatile word *)ciphermark_kernel_stack_begin;
    const volatile word *end = (volatile word *)ciphermark_kernel_stack_end;
    while (lines < end && all_painted(lines))
        lines += EACH;
    const volatile uint32_t *p = (const volatile uint32_t *)lines;
    while (p < ciphermark_kernel_stack_end && *p == PAINT)
        p++;
    return (uint32_t)((uintptr_t)ciphermark_kernel_stack_end - (uintptr_t)p);
}

int stack_sentinel_intact(void)
{
    for (int i = 0; i < SENTINEL_WORDS; i++) {
        if (ciphermark_stack_sentinel[i] != PAINT)
            return 0;
    }
    return 1;
}
