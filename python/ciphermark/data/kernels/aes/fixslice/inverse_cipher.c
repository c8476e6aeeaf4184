/* Decryption of one pass. */
#include "cipher.h"
#include "inverse_sub_bytes.h"
#include "mix_columns.h"
#include "pack.h"

void decrypt_blocks(uint8_t *out, const uint8_t *in, size_t blocks, const word *round_keys, unsigned rounds)
{
    const word *key = round_keys + ROUND_KEY * rounds;
    word q[8];

    pack(q, in, blocks);
    if (rounds % 4 == 2)
        shift_rows_twice(q);
    add_round_key(q, key);

    /* The last round of encryption had no MixColumns: enter the loop behind where it would be undone. */
    if (rounds % 4 == 2)
        goto round_2;
    goto round_0;
    while (key != round_keys) {
        inv_mix_columns(q, 0);
    round_0: /* 12, 8, 4 */
        inv_sub_bytes(q);
        add_round_key(q, key -= ROUND_KEY);

        inv_mix_columns(q, 3); /* 11, 7, 3 */
        inv_sub_bytes(q);
        add_round_key(q, key -= ROUND_KEY);

        inv_mix_columns(q, 2);
    round_2: /* 14, 10, 6, 2 */
        inv_sub_bytes(q);
        add_round_key(q, key -= ROUND_KEY);

        inv_mix_columns(q, 1); /* 13, 9, 5, 1 */
        inv_sub_bytes(q);
        add_round_key(q, key -= ROUND_KEY);
    }
    unpack(out, q, blocks);
}
