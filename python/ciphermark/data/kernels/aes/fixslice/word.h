/*
 * The bitsliced state: eight words, the i-th of which holds bit i of every byte of all blocks of a pass.
 *
 * A word is four lanes, one for each row of the state; a lane holds that row's columns, and within a column one
 * bit for each block. Bit `LANE * row + BLOCKS * column + block` thus belongs to byte `4 * column + row` of `block`,
 * moving rows is a rotation of the word, and moving columns a rotation within each lane.
 */
#ifndef CIPHERMARK_AES_FIXSLICE_WORD_H
#define CIPHERMARK_AES_FIXSLICE_WORD_H

#include <stddef.h>
#include <stdint.h>

#include "aes.h"

#if UINTPTR_MAX > 0xffffffff
typedef uint64_t word;
enum { BLOCKS = 4, LANE = 16 };
#else
typedef uint32_t word;
enum { BLOCKS = 2, LANE = 8 };
#endif
enum { WORD = 4 * LANE, ROUND_KEY = 8 /* words */ };

/* Whether the compiler makes one instruction of a rotation; GCC 12 does not yet know that Zbkb has it too. */
#if defined(__riscv_zbb) || (defined(__riscv_zbkb) && (defined(__clang__) || __GNUC__ > 12))
#define ROTATES 1
#else
#define ROTATES 0
#endif

/* Everything is inlined into the ciphers, even for size: a state passed through memory costs more than it saves. */
#define INLINE static inline __attribute__((always_inline))

/* `bits` of a lane (or, for `repeat_byte`, of a byte) in every lane (byte) of a word. */
INLINE word repeat_lane(word bits)
{
    return bits | bits << LANE | bits << 2 * LANE | bits << 3 * LANE;
}

INLINE word repeat_byte(word bits)
{
    return repeat_lane(LANE == 8 ? bits : bits | bits << 8);
}

INLINE word rotate_right(word x, unsigned n)
{
    return n == 0 ? x : x >> n | x << (WORD - n);
}

/* Bits of `a` where `mask` is set, else of `b`: one constant in a register, where AND and AND-NOT would take two. */
INLINE word select_bits(word mask, word a, word b)
{
    return b ^ ((a ^ b) & mask);
}

/* Row r, column c takes what stands at row `r + rows`, column `c + columns`, both modulo 4; `rows` is not 0. */
INLINE word move(word x, unsigned rows, unsigned columns)
{
    unsigned shift = BLOCKS * columns;

    if (columns == 0)
        return rotate_right(x, LANE * rows);

    word stays = repeat_lane(((word)1 << (LANE - shift)) - 1); /* positions whose source does not wrap in its lane */
#if ROTATES
    return select_bits(stays, rotate_right(x, LANE * rows + shift), rotate_right(x, LANE * (rows - 1) + shift));
#else
    /* A rotation is three instructions: do only one, and use shifts within the lanes. */
    return rotate_right(select_bits(stays, x >> shift, x << (LANE - shift)), LANE * rows);
#endif
}

INLINE void add_round_key(word q[8], const word *round_key)
{
#pragma GCC unroll 8
    for (unsigned i = 0; i < 8; i++)
        q[i] ^= round_key[i];
}

#endif
