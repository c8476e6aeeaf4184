/*
 * A guest program is one function that does a number of rounds of work, and one of linux.c and bare.c that asks for it.
 * All inputs are fixed, so that every engine must end with the same checksum.
 */
#ifndef CIPHERMARK_BENCH_WORK_H
#define CIPHERMARK_BENCH_WORK_H

#include <stddef.h>
#include <stdint.h>

/* Does the work `rounds` times and returns a checksum of all that came of it. Zero rounds cost next to nothing. */
uint32_t work(uint64_t rounds);

/* FNV-1a over `bytes` bytes, continuing `sum`. */
static inline uint32_t checksum(uint32_t sum, const void *data, size_t bytes)
{
    const uint8_t *byte = data;
    for (; bytes--; byte++)
        sum = (sum ^ *byte) * 16777619u;
    return sum;
}

/* What is of a thread alone, where there are several. */
#ifdef BENCH_THREADS
#define OWN _Thread_local
#else
#define OWN
#endif

#define CHECKSUM_START 2166136261u

/* Marsaglia's xorshift32. */
static inline uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

#endif
