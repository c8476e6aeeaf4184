/* Between bytes in memory and the bitsliced state of word.h. */
#ifndef CIPHERMARK_AES_FIXSLICE_PACK_H
#define CIPHERMARK_AES_FIXSLICE_PACK_H

#include "word.h"

/* Exchanges the bits of `*a` under `mask << n` with those of `*b` under `mask`. */
INLINE void swap_bits(word *a, word *b, word mask, unsigned n)
{
    word t = ((*a >> n) ^ *b) & mask;
    *b ^= t;
    *a ^= t << n;
}

/* Transposes the 8x8 bit matrix that byte k of the eight words forms, for every k. Its own inverse. */
INLINE void transpose(word q[8])
{
    word mask = repeat_byte(0x55);
    swap_bits(&q[0], &q[1], mask, 1);
    swap_bits(&q[2], &q[3], mask, 1);
    swap_bits(&q[4], &q[5], mask, 1);
    swap_bits(&q[6], &q[7], mask, 1);
    mask = repeat_byte(0x33);
    swap_bits(&q[0], &q[2], mask, 2);
    swap_bits(&q[1], &q[3], mask, 2);
    swap_bits(&q[4], &q[6], mask, 2);
    swap_bits(&q[5], &q[7], mask, 2);
    mask = repeat_byte(0x0f);
    swap_bits(&q[0], &q[4], mask, 4);
    swap_bits(&q[1], &q[5], mask, 4);
    swap_bits(&q[2], &q[6], mask, 4);
    swap_bits(&q[3], &q[7], mask, 4);
}

/*
 * Before transposition a word holds one block's column c, and on 64-bit machines also column c + 2: row r's byte is
 * the lower, then the upper half of lane r. `column` points to the first byte of column c.
 */
INLINE word load_columns(const uint8_t *column)
{
    word x = 0;
#pragma GCC unroll 4
    for (unsigned row = 0; row < 4; row++) {
        x |= (word)column[row] << (LANE * row);
        if (LANE == 16)
            x |= (word)column[row + 8] << (LANE * row + 8);
    }
    return x;
}

INLINE void store_columns(uint8_t *column, word x)
{
#pragma GCC unroll 4
    for (unsigned row = 0; row < 4; row++) {
        column[row] = (uint8_t)(x >> (LANE * row));
        if (LANE == 16)
            column[row + 8] = (uint8_t)(x >> (LANE * row + 8));
    }
}

/* Reads `blocks` blocks, 1 to BLOCKS; the last stands for the missing ones. */
INLINE void pack(word q[8], const uint8_t *in, size_t blocks)
{
    const uint8_t *last = in + AES_BLOCK_BYTES * (blocks - 1);

#pragma GCC unroll 4
    for (unsigned block = 0; block < BLOCKS; block++) {
#pragma GCC unroll 4
        for (unsigned column = 0; column < 8 / BLOCKS; column++)
            q[BLOCKS * column + block] = load_columns(in + 4 * column);
        if (in != last)
            in += AES_BLOCK_BYTES;
    }
    transpose(q);
}

INLINE void unpack(uint8_t *out, word q[8], size_t blocks)
{
    const uint8_t *end = out + AES_BLOCK_BYTES * blocks;

    transpose(q);
#pragma GCC unroll 4
    for (unsigned block = 0; block < BLOCKS; block++) {
#pragma GCC unroll 4
        for (unsigned column = 0; column < 8 / BLOCKS; column++)
            store_columns(out + 4 * column, q[BLOCKS * column + block]);
        out += AES_BLOCK_BYTES;
        if (out == end)
            break;
    }
}

#endif
