/* The processor's own counters, where the system grants them. */
#ifndef CIPHERMARK_COUNTERS_H
#define CIPHERMARK_COUNTERS_H

#include <stdint.h>

enum counter_scope { SCOPE_NONE, SCOPE_USER, SCOPE_USER_AND_KERNEL };

struct counts {
    uint64_t cycles; /* ABSENT if not granted, or shared with other users of the counters */
    uint64_t instructions;
};

/* Opens them once; says what they count. `refused` becomes the errno for which there are none, or 0. */
enum counter_scope open_counters(int *refused);

void read_counters(struct counts *counts);

/* From `begin` to `end`. */
struct counts counted(const struct counts *begin, const struct counts *end);

#endif
