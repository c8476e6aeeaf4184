/* Calls of an entry, as many as asked for, with nothing between them. */
#ifndef CIPHERMARK_CALLING_H
#define CIPHERMARK_CALLING_H

#include <stdint.h>

#include "../measure.h"

/* Every other call gets the argument `varying` moved by `window`: none can answer with what the one before found. */
void call_times(struct kernel_call *call, uint64_t times);

#endif
