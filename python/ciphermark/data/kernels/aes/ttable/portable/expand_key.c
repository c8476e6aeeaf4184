/*
 * AES key expansion (FIPS 197, section 5.2) for encryption: ../expand_key.S in portable C for little-endian machines.
 *
 * Contract: aes.h; any alignment. NOT constant time: S-box look-ups at addresses that depend on the key.
 */
#include "../tables.h"
#include "aes.h"

static uint32_t sub_word(uint32_t x)
{
    const uint8_t *sbox = aes_ttable_encryption.sbox;
    return sbox[x & 0xff] | (uint32_t)sbox[x >> 8 & 0xff] << 8 | (uint32_t)sbox[x >> 16 & 0xff] << 16
        | (uint32_t)sbox[x >> 24] << 24;
}

static void expand_key(uint32_t *words, const uint8_t *key, unsigned Nk)
{
    const uint32_t *end = words + 4 * (Nk + 7);
    uint32_t rcon = 1;
    unsigned position = 0; /* within the current Nk words */

    __builtin_memcpy(words, key, sizeof *words * Nk);
    for (uint32_t *w = words + Nk; w != end; w++) {
        uint32_t t = w[-1];
        if (position == 0) { /* RotWord, SubWord, Rcon */
            t = sub_word(t >> 8 | t << 24) ^ rcon;
            rcon = (rcon << 1) ^ (-(rcon >> 7) & 0x11b);
        } else if (Nk > 6 && position == 4) {
            t = sub_word(t);
        }
        *w = w[-(int)Nk] ^ t;
        position = position + 1 == Nk ? 0 : position + 1;
    }
}

void aes_128_expand_key(void *rk, const uint8_t *key)
{
    expand_key(rk, key, 4);
}

void aes_192_expand_key(void *rk, const uint8_t *key)
{
    expand_key(rk, key, 6);
}

void aes_256_expand_key(void *rk, const uint8_t *key)
{
    expand_key(rk, key, 8);
}
