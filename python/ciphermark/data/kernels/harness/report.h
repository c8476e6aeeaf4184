/* What a run says; Python (ciphermark/harness/transcript.py) reads it. */
#ifndef CIPHERMARK_REPORT_H
#define CIPHERMARK_REPORT_H

#include <stdint.h>

/* Exit codes of the program. */
enum exit_code {
    EXIT_DONE = 0,
    EXIT_MISMATCH = 1,
    EXIT_TRAP = 2,
    EXIT_BAD_JOB = 3, /* in a process: whatever ciphermark_fail says */
    EXIT_WRONG_VLEN = 4,
    EXIT_UNAVAILABLE = 5,
};

/* What the run is doing, for a trap that may come at any time. */
enum phase { PHASE_START, PHASE_VECTORS, PHASE_REQUESTS };

/* How a known answer failed. */
enum failure {
    FAILURE_OUTPUT,
    FAILURE_CHAIN,
    FAILURE_OVERRUN,
    FAILURE_INPUT_CHANGED,
    FAILURE_KEY_CHANGED,
    FAILURE_SAVED_REGISTER,
    FAILURE_STACK_POINTER,
    FAILURE_STACK_OVERFLOW,
    FAILURE_HARNESS_STACK, /* measure.S knows this number and the next */
    FAILURE_REENTRY,
};

void report_phase(enum phase phase, uint32_t index);

/* A failure of the case under way that measure.S found; the run ends. */
void report_misconduct(enum failure failure) __attribute__((noreturn));

/* `f index variant failure`, then the run ends. */
void report_failure(uint32_t index, uint32_t variant, enum failure failure) __attribute__((noreturn));

/* The same after `d offset expected actual` for the first bytes that differ. */
void report_difference(uint32_t index, uint32_t variant, enum failure failure, const uint8_t *expected,
                       const uint8_t *actual, uint32_t bytes) __attribute__((noreturn));

/* `t mcause mepc mtval phase index`. Called from the trap vector. */
void report_trap(uintptr_t cause, uintptr_t pc, uintptr_t value) __attribute__((noreturn));

#endif
