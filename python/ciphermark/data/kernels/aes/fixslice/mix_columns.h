/*
 * MixColumns on a state whose ShiftRows are outstanding: the heart of fixslicing.
 *
 * After r rounds without any ShiftRows the true state is ShiftRows^r of the stored one, so that round r needs
 * ShiftRows^-r . MixColumns . ShiftRows^r. There, the neighbour below row i, column c is row i + 1, column c + r: one
 * formula for all rows, since four rows further the columns have gone full circle. Only r modulo 4 matters.
 */
#ifndef CIPHERMARK_AES_FIXSLICE_MIX_COLUMNS_H
#define CIPHERMARK_AES_FIXSLICE_MIX_COLUMNS_H

#include "word.h"

INLINE word next_row(word x, unsigned r)
{
    return move(x, 1, r % 4);
}

INLINE word next_but_one_row(word x, unsigned r)
{
    return move(x, 2, 2 * r % 4);
}

/*
 * With b, c, d the next rows after a: 2a + 3b + c + d = 2(a + b) + b + (c + d), and c + d is a + b two rows on.
 * Doubling moves bits up by one and adds bit 7 to the bits of 0x1b, from the top so that few words are live.
 */
INLINE void mix_columns(word q[8], unsigned r)
{
    word next = next_row(q[7], r);
    word sum = q[7] ^ next;
    const word carry = sum;

#pragma GCC unroll 7
    for (unsigned bit = 7; bit != 0; bit--) {
        word doubled = next ^ next_but_one_row(sum, r);
        if (0x1b >> bit & 1)
            doubled ^= carry;
        next = next_row(q[bit - 1], r);
        sum = q[bit - 1] ^ next;
        q[bit] = doubled ^ sum;
    }
    q[0] = carry ^ next ^ next_but_one_row(sum, r);
}

/* InvMixColumns is MixColumns after adding 4(a + c): J. Daemen and V. Rijmen, The Design of Rijndael, 4.1.3. */
INLINE void inv_mix_columns(word q[8], unsigned r)
{
    word d[8];

#pragma GCC unroll 8
    for (unsigned bit = 0; bit < 8; bit++)
        d[bit] = q[bit] ^ next_but_one_row(q[bit], r);

    word d67 = d[6] ^ d[7];
    q[0] ^= d[6];
    q[1] ^= d67;
    q[2] ^= d[0] ^ d[7];
    q[3] ^= d[1] ^ d[6];
    q[4] ^= d[2] ^ d67;
    q[5] ^= d[3] ^ d[7];
    q[6] ^= d[4];
    q[7] ^= d[5];
    mix_columns(q, r);
}

/* Two ShiftRows: the odd rows move by two columns. */
INLINE void shift_rows_twice(word q[8])
{
    const unsigned half = 2 * BLOCKS;
    word mask = (((word)1 << half) - 1) << LANE;

    mask |= mask << 2 * LANE;
#pragma GCC unroll 8
    for (unsigned bit = 0; bit < 8; bit++) {
        word t = ((q[bit] >> half) ^ q[bit]) & mask;
        q[bit] ^= t ^ t << half;
    }
}

#endif
