/* Calls of an entry, as many as asked for, with nothing between them. */
#ifndef CIPHERMARK_CALLING_H
#define CIPHERMARK_CALLING_H

#include <stdint.h>

#include "../measure.h"

void call_times(const struct kernel_call *call, uint64_t times);

#endif
