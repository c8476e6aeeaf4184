/* What the files of this implementation share. */
#ifndef CIPHERMARK_RIJNDAEL_TTABLE_H
#define CIPHERMARK_RIJNDAEL_TTABLE_H

#include "rijndael.h"

#define COLUMNS 8
#define BLOCK_BYTES (4 * COLUMNS)
#define ROUNDS 14
#define SCHEDULE_COLUMNS (COLUMNS * (ROUNDS + 1))

/* Bytes read as a column: aligned here, and of a type that may alias. */
typedef uint32_t __attribute__((may_alias)) column;

static inline uint32_t load_column(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static inline void store_column(uint8_t *bytes, uint32_t value)
{
    for (int row = 0; row < 4; row++)
        bytes[row] = (uint8_t)(value >> 8 * row);
}

#endif
