/* Key expansion, FIPS 197, 5.2, with the S-box computed as in the cipher, then bitsliced round by round. */
#include "cipher.h"
#include "pack.h"
#include "sub_bytes.h"

/* Words hold the bytes of FIPS 197's words from the lowest bits up, which is memory order on RISC-V. */
static __attribute__((noinline)) uint32_t sub_word(uint32_t x)
{
    word q[8];

#pragma GCC unroll 8
    for (unsigned bit = 0; bit < 8; bit++)
        q[bit] = x >> bit & 0x01010101;
    sub_bytes(q);
    x = 0x63636363;
#pragma GCC unroll 8
    for (unsigned bit = 0; bit < 8; bit++)
        x ^= (uint32_t)q[bit] << bit;
    return x;
}

/* Row r moves right by r columns. */
static void inv_shift_rows(uint32_t columns[4])
{
    const uint32_t a = columns[0], b = columns[1], c = columns[2], d = columns[3];
    const uint32_t row_0 = 0xff, row_1 = 0xff00, row_2 = 0xff0000, row_3 = 0xff000000;

    columns[0] = (a & row_0) | (d & row_1) | (c & row_2) | (b & row_3);
    columns[1] = (b & row_0) | (a & row_1) | (d & row_2) | (c & row_3);
    columns[2] = (c & row_0) | (b & row_1) | (a & row_2) | (d & row_3);
    columns[3] = (d & row_0) | (c & row_1) | (b & row_2) | (a & row_3);
}

/* Consumes `words`. */
static void slice_round_keys(word *round_keys, uint32_t *words, unsigned rounds)
{
    for (unsigned round = 0; round <= rounds; round++) {
        for (unsigned undone = 0; undone < round % 4; undone++)
            inv_shift_rows(words);
        word q[8];
        pack(q, (const uint8_t *)words, 1);
        if (round != 0) { /* 0x63 */
            q[0] = ~q[0];
            q[1] = ~q[1];
            q[5] = ~q[5];
            q[6] = ~q[6];
        }
#pragma GCC unroll 8
        for (unsigned i = 0; i < 8; i++)
            round_keys[i] = q[i];
        round_keys += ROUND_KEY;
        words += 4;
    }
}

void expand_key(word *round_keys, const uint8_t *key, unsigned Nk)
{
    uint32_t words[4 * (14 + 1)];
    const unsigned rounds = Nk + 6;
    uint32_t *w = words;
    uint32_t rcon = 1;
    unsigned position = 0; /* within the current Nk words */

    for (; w != words + Nk; w++, key += 4)
        *w = key[0] | (uint32_t)key[1] << 8 | (uint32_t)key[2] << 16 | (uint32_t)key[3] << 24;

    for (const uint32_t *end = words + 4 * (rounds + 1); w != end; w++) {
        uint32_t t = w[-1];

        if (position == 0) {
            t = sub_word(t >> 8 | t << 24) ^ rcon;
            rcon = (rcon << 1) ^ (-(rcon >> 7) & 0x11b);
        } else if (Nk > 6 && position == 4) {
            t = sub_word(t);
        }
        *w = w[-(ptrdiff_t)Nk] ^ t;
        position = position + 1 == Nk ? 0 : position + 1;
    }
    slice_round_keys(round_keys, words, rounds);
}
