#include "numbers.h"

#include <stddef.h>

#include "../console.h"

void line_optional(uint64_t value)
{
    if (value == ABSENT)
        line_bytes(NULL, 0);
    else
        line_number(value);
}
