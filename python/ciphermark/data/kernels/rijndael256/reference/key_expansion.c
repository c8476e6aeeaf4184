/* Key expansion: The Design of Rijndael, 3.6.1, with keys of more than 192 bits as its second version. */
#include "cipher.h"

void KeyExpansion(uint8_t *round_keys, const uint8_t *key, struct sizes sizes)
{
    const uint8_t *end = round_keys + sizes.schedule_bytes;
    uint8_t *column = round_keys;
    uint8_t round_constant = 1;
    unsigned i = 0; /* position within the current length of the key */

    while (column != round_keys + ROWS * sizes.key_columns)
        *column++ = *key++;

    for (; column != end; column += ROWS) {
        const uint8_t *previous = column - ROWS;
        const uint8_t *earlier = column - ROWS * sizes.key_columns;
        uint8_t a = previous[0], b = previous[1], c = previous[2], d = previous[3];

        if (i == 0) {
            uint8_t first = a;
            a = rijndael_sbox[b] ^ round_constant;
            b = rijndael_sbox[c];
            c = rijndael_sbox[d];
            d = rijndael_sbox[first];
            round_constant = xtime(round_constant);
        } else if (sizes.key_columns > 6 && i == 4) {
            a = rijndael_sbox[a];
            b = rijndael_sbox[b];
            c = rijndael_sbox[c];
            d = rijndael_sbox[d];
        }
        column[0] = earlier[0] ^ a;
        column[1] = earlier[1] ^ b;
        column[2] = earlier[2] ^ c;
        column[3] = earlier[3] ^ d;
        i = i + 1 == sizes.key_columns ? 0 : i + 1;
    }
}
