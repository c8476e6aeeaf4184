/* The harness's platform in a process: standard output, exit status, one place for the schedule; and calls. */

#include <stdlib.h>
#include <unistd.h>

#include "../buffers.h"
#include "../measure.h"
#include "../platform.h"
#include "../stack.h"
#include "../vector.h"
#include "calling.h"

#ifndef SCHEDULE_BYTES
#error "whoever builds the harness says how long the longest schedule is"
#endif

static char line[4096];
static size_t line_bytes_held;

static void flush(void)
{
    size_t sent = 0;
    while (sent < line_bytes_held) {
        ssize_t count = write(STDOUT_FILENO, line + sent, line_bytes_held - sent);
        if (count <= 0)
            _exit(127);
        sent += (size_t)count;
    }
    line_bytes_held = 0;
}

void platform_putc(char c)
{
    line[line_bytes_held++] = c;
    if (c == '\n' || line_bytes_held == sizeof line)
        flush();
}

void platform_exit(uint32_t code)
{
    flush();
    _exit((int)code);
}

uint8_t *platform_schedule(uint8_t *behind)
{
    static uint8_t schedule[SCHEDULE_BYTES + GUARD_BYTES] __attribute__((aligned(64)));
    (void)behind;
    return schedule;
}

/* The kernel runs on the process's stack, whose end the system guards; saved registers are the compiler's. */

enum abi_breach checked_call(const struct kernel_call *call)
{
    struct kernel_call once = *call;
    call_times(&once, 1);
    return ABI_KEPT;
}

uintptr_t kernel_stack_end(void)
{
    return 0;
}

int stack_sentinel_intact(void)
{
    return 1;
}

void spoil_vector_state(void)
{
}
