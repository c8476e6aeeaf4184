/* Calls into the kernel, on a stack of its own, from fixed assembly: nothing a compiler does moves a count. */
#ifndef CIPHERMARK_MEASURE_H
#define CIPHERMARK_MEASURE_H

#include <stdint.h>

/* measure.S knows these offsets. */
struct kernel_call {
    uintptr_t function;
    uintptr_t arguments[8];
    uintptr_t stack; /* its end: the kernel's first sp */
    uint64_t instructions; /* measure_call: between the two counter reads */
    uint64_t cycles;
};

enum abi_breach { ABI_KEPT, ABI_SAVED_REGISTER, ABI_STACK_POINTER };

/* Call and check that s0-s11, gp, tp and sp come back as they were. */
enum abi_breach checked_call(const struct kernel_call *call);

/* Call between ciphermark_roi_begin and ciphermark_roi_end, with the counters read around exactly one jalr. */
void measure_call(struct kernel_call *call);

/* A function that is only `ret`: what measuring itself costs. */
void empty_function(void);

#endif
