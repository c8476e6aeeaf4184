#include "clock.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "../console.h"
#include "numbers.h"

#define ADDITIONS 100000u
#define UNROLLED 100u
#define RUNS 9

uint64_t clock_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t clock_resolution_ns(void)
{
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 100; i++) {
        uint64_t begin = clock_ns(CLOCK_MONOTONIC), end;
        do
            end = clock_ns(CLOCK_MONOTONIC);
        while (end == begin);
        if (end - begin < least)
            least = end - begin;
    }
    return least;
}

static int account = -1;

void open_wait_account(void)
{
    account = open("/proc/self/schedstat", O_RDONLY | O_CLOEXEC);
}

/* The second number of schedstat (kernel documentation, scheduler/sched-stats). */
uint64_t waited_ns(void)
{
    char text[128], *second;
    ssize_t bytes = account < 0 ? -1 : pread(account, text, sizeof text - 1, 0);
    if (bytes <= 0)
        return ABSENT;
    text[bytes] = 0;
    strtoull(text, &second, 10);
    return strtoull(second, NULL, 10);
}

/*
 * An addition of registers takes one cycle on every core; one of a small constant may take none, where the core folds
 * it while renaming.
 */
#define TEN(x) x x x x x x x x x x
#if defined(__x86_64__)
#define ADD "add %1, %0\n\t"
#elif defined(__aarch64__) || defined(__riscv)
#define ADD "add %0, %0, %1\n\t"
#else
#error "no addition for this architecture"
#endif

static void add(void)
{
    uint64_t sum = 0, step = 3;
    for (uint32_t i = 0; i < ADDITIONS / UNROLLED; i++)
        __asm__ volatile(TEN(TEN(ADD)) : "+r"(sum) : "r"(step));
}

void report_clock_rate(void)
{
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < RUNS; i++) {
        uint64_t begin = clock_ns(CLOCK_MONOTONIC);
        add();
        uint64_t took = clock_ns(CLOCK_MONOTONIC) - begin;
        if (took < least)
            least = took;
    }
    line_begin('k');
    line_number(ADDITIONS);
    line_number(least);
    line_end();
}
