/* Encryption of one pass. */
#include "cipher.h"
#include "mix_columns.h"
#include "pack.h"
#include "sub_bytes.h"

void encrypt_blocks(uint8_t *out, const uint8_t *in, size_t blocks, const word *round_keys, unsigned rounds)
{
    const word *last = round_keys + ROUND_KEY * rounds;
    word q[8];

    pack(q, in, blocks);
    add_round_key(q, round_keys);
#pragma GCC unroll 1
    while (round_keys != last) { /* left in its middle, before a MixColumns */
        sub_bytes(q); /* rounds 1, 5, 9, 13 */
        mix_columns(q, 1);
        add_round_key(q, round_keys += ROUND_KEY);

        sub_bytes(q); /* rounds 2, 6, 10, 14 */
        round_keys += ROUND_KEY;
        if (round_keys == last)
            break;
        mix_columns(q, 2);
        add_round_key(q, round_keys);

        sub_bytes(q); /* rounds 3, 7, 11 */
        mix_columns(q, 3);
        add_round_key(q, round_keys += ROUND_KEY);

        sub_bytes(q); /* rounds 4, 8, 12 */
        round_keys += ROUND_KEY;
        if (round_keys == last)
            break;
        mix_columns(q, 0);
        add_round_key(q, round_keys);
    }
    add_round_key(q, last);
    if (rounds % 4 == 2)
        shift_rows_twice(q);
    unpack(out, q, blocks);
}
