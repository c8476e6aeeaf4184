/*
 * Key expansion (The Design of Rijndael, 3.6); for decryption also InvMixColumns of every round key but the first
 * and last, stored last round first, so that both directions walk forwards.
 *
 * Contract: rijndael.h. NOT constant time: look-ups at addresses that depend on the key.
 */
#include "rijndael256.h"
#include "tables.h"

#define KEY_COLUMNS 8

static uint32_t substitute(uint32_t word)
{
    const uint8_t *sbox = rijndael_ttable_encryption.sbox;
    return sbox[word & 0xff] | (uint32_t)sbox[word >> 8 & 0xff] << 8 | (uint32_t)sbox[word >> 16 & 0xff] << 16
        | (uint32_t)sbox[word >> 24] << 24;
}

static void expand(uint32_t words[SCHEDULE_COLUMNS], const uint8_t *key)
{
    uint32_t round_constant = 1;
    int i;

    for (i = 0; i < KEY_COLUMNS; i++)
        words[i] = load_column(key + 4 * i);
    for (; i < SCHEDULE_COLUMNS; i++) {
        uint32_t word = words[i - 1];
        if (i % KEY_COLUMNS == 0) {
            word = substitute(word >> 8 | word << 24) ^ round_constant;
            round_constant = round_constant << 1 ^ (-(round_constant >> 7) & 0x11b);
        } else if (i % KEY_COLUMNS == 4) {
            word = substitute(word);
        }
        words[i] = words[i - KEY_COLUMNS] ^ word;
    }
}

/* Column table r holds InvMixColumns of the inverse S-box, so the S-box first. */
static uint32_t inverse_mix_column(uint32_t word)
{
    const uint8_t *sbox = rijndael_ttable_encryption.sbox;
    const uint32_t(*table)[256] = rijndael_ttable_decryption.column;
    return table[0][sbox[word & 0xff]] ^ table[1][sbox[word >> 8 & 0xff]] ^ table[2][sbox[word >> 16 & 0xff]]
        ^ table[3][sbox[word >> 24]];
}

void rijndael_256_256_expand_key(void *rk, const uint8_t *key)
{
    expand(rk, key);
}

void rijndael_256_256_expand_key_decrypt(void *rk, const uint8_t *key)
{
    uint32_t *words = rk;
    expand(words, key);
    for (int i = COLUMNS; i < COLUMNS * ROUNDS; i++)
        words[i] = inverse_mix_column(words[i]);
    for (int low = 0, high = COLUMNS * ROUNDS; low < high; low += COLUMNS, high -= COLUMNS) {
        for (int i = 0; i < COLUMNS; i++) {
            uint32_t swapped = words[low + i];
            words[low + i] = words[high + i];
            words[high + i] = swapped;
        }
    }
}
