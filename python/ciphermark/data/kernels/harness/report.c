#include "report.h"

#include "console.h"
#include "job.h"
#include "platform.h"

#define SHOWN_BYTES 32u

static volatile enum phase current_phase;
static volatile uint32_t current_index;

void report_phase(enum phase phase, uint32_t index)
{
    current_phase = phase;
    current_index = index;
}

void report_failure(uint32_t index, uint32_t variant, enum failure failure)
{
    line_begin('f');
    line_number(index);
    line_number(variant);
    line_number(failure);
    line_end();
    platform_exit(EXIT_MISMATCH);
}

void report_misconduct(enum failure failure)
{
    report_failure(current_index, VARIANT_PLAIN, failure);
}

void report_difference(uint32_t index, uint32_t variant, enum failure failure, const uint8_t *expected,
                       const uint8_t *actual, uint32_t bytes)
{
    uint32_t offset = 0;
    while (offset < bytes && expected[offset] == actual[offset])
        offset++;
    offset &= ~15u;
    uint32_t shown = bytes - offset < SHOWN_BYTES ? bytes - offset : SHOWN_BYTES;
    line_begin('d');
    line_number(offset);
    line_bytes(expected + offset, shown);
    line_bytes(actual + offset, shown);
    line_end();
    report_failure(index, variant, failure);
}

void report_trap(uintptr_t cause, uintptr_t pc, uintptr_t value)
{
    line_begin('t');
    line_number(cause);
    line_number(pc);
    line_number(value);
    line_number(current_phase);
    line_number(current_index);
    line_end();
    platform_exit(EXIT_TRAP);
}
