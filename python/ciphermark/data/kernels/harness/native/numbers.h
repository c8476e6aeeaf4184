/* Numbers that may be absent. */
#ifndef CIPHERMARK_NUMBERS_H
#define CIPHERMARK_NUMBERS_H

#include <stdint.h>

#define ABSENT UINT64_MAX

/* A number of a line, or `-`. */
void line_optional(uint64_t value);

#endif
