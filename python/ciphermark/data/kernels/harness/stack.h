/* The kernel's stack: painted before a call, scanned after it. */
#ifndef CIPHERMARK_STACK_H
#define CIPHERMARK_STACK_H

#include <stdint.h>

uintptr_t kernel_stack_end(void);
void paint_kernel_stack(void);

/* Bytes used since painting; the whole size means that it overflowed. */
uint32_t kernel_stack_used(void);

/* The words below the stack, looked at after every call; what reaches farther down traps. */
int stack_sentinel_intact(void);

#endif
