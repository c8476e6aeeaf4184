#define _GNU_SOURCE
#include "counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "numbers.h"

static int group = -1;

/* What read() gives of a group of two. */
struct reading {
    uint64_t number;
    uint64_t enabled_ns;
    uint64_t running_ns;
    uint64_t values[2];
};

static int open_event(uint64_t event, int leader, int with_kernel)
{
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_HARDWARE,
        .size = sizeof attributes,
        .config = event,
        .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
        .exclude_kernel = !with_kernel,
        .exclude_hv = 1,
    };
    return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, leader, 0);
}

static int open_group(int with_kernel)
{
    group = open_event(PERF_COUNT_HW_CPU_CYCLES, -1, with_kernel);
    if (group < 0)
        return 0;
    if (open_event(PERF_COUNT_HW_INSTRUCTIONS, group, with_kernel) >= 0)
        return 1;
    int refused = errno;
    close(group);
    group = -1;
    errno = refused;
    return 0;
}

enum counter_scope open_counters(int *refused)
{
    *refused = 0;
    if (open_group(1))
        return SCOPE_USER_AND_KERNEL;
    if (open_group(0))
        return SCOPE_USER;
    *refused = errno;
    return SCOPE_NONE;
}

void read_counters(struct counts *counts)
{
    struct reading reading;
    counts->cycles = counts->instructions = ABSENT;
    if (group < 0 || read(group, &reading, sizeof reading) != (ssize_t)sizeof reading)
        return;
    /* Multiplexed counters are extrapolations: nothing is reported of them. */
    if (reading.enabled_ns != reading.running_ns)
        return;
    counts->cycles = reading.values[0];
    counts->instructions = reading.values[1];
}

struct counts counted(const struct counts *begin, const struct counts *end)
{
    struct counts none = {ABSENT, ABSENT};
    if (begin->cycles == ABSENT || end->cycles == ABSENT)
        return none;
    return (struct counts){end->cycles - begin->cycles, end->instructions - begin->instructions};
}
