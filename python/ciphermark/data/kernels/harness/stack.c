#include "stack.h"

#define PAINT 0x5ca1ab1eu
#define SENTINEL_WORDS 16

extern volatile uint32_t ciphermark_kernel_stack_begin[], ciphermark_kernel_stack_end[];

uintptr_t kernel_stack_end(void)
{
    return (uintptr_t)ciphermark_kernel_stack_end;
}

void paint_kernel_stack(void)
{
    for (volatile uint32_t *p = ciphermark_kernel_stack_begin; p < ciphermark_kernel_stack_end; p++)
        *p = PAINT;
}

uint32_t kernel_stack_used(void)
{
    volatile uint32_t *p = ciphermark_kernel_stack_begin;
    while (p < ciphermark_kernel_stack_end && *p == PAINT)
        p++;
    return (uint32_t)((uintptr_t)ciphermark_kernel_stack_end - (uintptr_t)p);
}

void arm_stack_sentinel(void)
{
    for (int i = 0; i < SENTINEL_WORDS; i++)
        ciphermark_kernel_stack_begin[i] = PAINT;
}

int stack_sentinel_intact(void)
{
    for (int i = 0; i < SENTINEL_WORDS; i++) {
        if (ciphermark_kernel_stack_begin[i] != PAINT)
            return 0;
    }
    return 1;
}
