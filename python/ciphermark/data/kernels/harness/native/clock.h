/* Time: the clock's resolution, and the processor's own rate. */
#ifndef CIPHERMARK_CLOCK_H
#define CIPHERMARK_CLOCK_H

#include <stdint.h>
#include <time.h>

uint64_t clock_ns(clockid_t clock);

/* The least time that CLOCK_MONOTONIC shows to pass. */
uint64_t clock_resolution_ns(void);

/* Of the calling process: opens the account that waited_ns reads. */
void open_wait_account(void);

/* How long the process could have run but others held the processor; ABSENT where the system does not say. */
uint64_t waited_ns(void);

/* `k additions ns`: the fastest of several runs of that many additions, each of which needs the one before. */
void report_clock_rate(void);

#endif
