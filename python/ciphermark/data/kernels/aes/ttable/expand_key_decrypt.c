/*
 * AES key expansion for the equivalent inverse cipher (FIPS 197, section 5.3.5): InvMixColumns of every round key
 * but the first and last, stored last round first so that decryption walks forwards.
 *
 * InvMixColumns is linear and so is key expansion except where a word passes through the S-box: only those words
 * (and the first key length of them) are transformed by look-ups; every other one is again the exclusive-or of two
 * predecessors.
 *
 * Contract: aes.h. NOT constant time: look-ups at addresses that depend on the key.
 */
#include "aes.h"
#include "tables.h"

#define BLOCK_WORDS 4

/* Column table i holds InvMixColumns of the inverse S-box, so the S-box first. */
static uint32_t inverse_mix_column(uint32_t word)
{
    const uint8_t *sbox = aes_ttable_encryption.sbox;
    const uint32_t(*column)[256] = aes_ttable_decryption.column;
    return column[0][sbox[word & 0xff]] ^ column[1][sbox[word >> 8 & 0xff]] ^ column[2][sbox[word >> 16 & 0xff]]
        ^ column[3][sbox[word >> 24]];
}

static void invert(uint32_t *word, size_t key_words, size_t rounds)
{
    size_t end = BLOCK_WORDS * rounds;
    size_t i = BLOCK_WORDS;
    for (; i < BLOCK_WORDS + key_words; i++)
        word[i] = inverse_mix_column(word[i]);

    size_t in_key = key_words == BLOCK_WORDS ? 0 : BLOCK_WORDS;
    for (; i < end; i++) {
        int substituted = in_key == 0 || (key_words == 8 && in_key == 4);
        word[i] = substituted ? inverse_mix_column(word[i]) : word[i - 1] ^ word[i - key_words];
        in_key = in_key + 1 == key_words ? 0 : in_key + 1;
    }

    for (size_t low = 0, high = end; low < high; low += BLOCK_WORDS, high -= BLOCK_WORDS)
        for (size_t j = 0; j < BLOCK_WORDS; j++) {
            uint32_t swapped = word[low + j];
            word[low + j] = word[high + j];
            word[high + j] = swapped;
        }
}

void aes_128_expand_key_decrypt(void *rk, const uint8_t *key)
{
    aes_128_expand_key(rk, key);
    invert(rk, 4, 10);
}

void aes_192_expand_key_decrypt(void *rk, const uint8_t *key)
{
    aes_192_expand_key(rk, key);
    invert(rk, 6, 12);
}

void aes_256_expand_key_decrypt(void *rk, const uint8_t *key)
{
    aes_256_expand_key(rk, key);
    invert(rk, 8, 14);
}
