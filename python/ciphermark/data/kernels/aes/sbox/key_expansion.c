/* Key expansion: FIPS 197, 5.2. */
#include "cipher.h"

void KeyExpansion(uint8_t *round_keys, const uint8_t *key, unsigned Nk)
{
    const uint8_t *end = round_keys + AES_BLOCK_BYTES * (Nk + 7);
    uint8_t *word = round_keys;
    uint8_t rcon = 1;
    unsigned i = 0; /* position within the current Nk words */

    while (word != round_keys + 4 * Nk)
        *word++ = *key++;

    for (; word != end; word += 4) {
        const uint8_t *previous = word - 4;
        const uint8_t *earlier = word - 4 * Nk;
        uint8_t a = previous[0], b = previous[1], c = previous[2], d = previous[3];

        if (i == 0) { /* RotWord, SubWord, Rcon */
            uint8_t first = a;
            a = aes_sbox[b] ^ rcon;
            b = aes_sbox[c];
            c = aes_sbox[d];
            d = aes_sbox[first];
            rcon = xtime(rcon);
        } else if (Nk > 6 && i == 4) {
            a = aes_sbox[a];
            b = aes_sbox[b];
            c = aes_sbox[c];
            d = aes_sbox[d];
        }
        word[0] = earlier[0] ^ a;
        word[1] = earlier[1] ^ b;
        word[2] = earlier[2] ^ c;
        word[3] = earlier[3] ^ d;
        i = i + 1 == Nk ? 0 : i + 1;
    }
}
