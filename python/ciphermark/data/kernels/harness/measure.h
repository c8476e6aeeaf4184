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
    /* What measure.S does not know: the argument that calls in a row alternate, by how much, and whether it is the
       second one's turn. */
    uint32_t varying;
    uint32_t window;
    uint32_t turn;
};

enum abi_breach { ABI_KEPT, ABI_SAVED_REGISTER, ABI_STACK_POINTER };

/*
 * Call and check that s0-s11, gp, tp and sp come back as they were. The run ends if the harness's own stack does not, or
 * if a kernel calls this or measure_call.
 */
enum abi_breach checked_call(const struct kernel_call *call);

/*
 * The same between ciphermark_roi_begin and ciphermark_roi_end, with the counters read around exactly one jalr; they are
 * in s1 and s3, which therefore are not checked.
 */
enum abi_breach measure_call(struct kernel_call *call);

/* A function that is only `ret`: what measuring itself costs. */
void empty_function(void);

#endif
