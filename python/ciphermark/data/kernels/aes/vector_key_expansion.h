/*
 * AES key expansion (FIPS 197, 5.2) in registers of four words, for processors whose last round of AES is an
 * instruction: on four equal columns ShiftRows changes nothing, which leaves SubWord.
 *
 * The including file defines, before:
 *   words                          a GNU vector of four 32-bit elements
 *   sub_words(x, added)            SubBytes of x, whose four words are equal, then exclusive-or of `added`
 *   inverse_mix_columns(x)         FIPS 197, 5.3.3
 *
 * Schedule: the round keys of 16 bytes in the order in which they are added. For decryption that is the equivalent
 * inverse cipher's (FIPS 197, 5.3.5): last round key first, InvMixColumns of all but the first and the last.
 * Contract: aes.h, any alignment of the key. Constant time: no branch or address depends on the key.
 */
#ifndef CIPHERMARK_AES_VECTOR_KEY_EXPANSION_H
#define CIPHERMARK_AES_VECTOR_KEY_EXPANSION_H

#include "aes.h"

#define KEY_INLINE static inline __attribute__((always_inline))

typedef uint8_t word_bytes __attribute__((vector_size(16)));

/* Word j becomes the exclusive-or of words 0 to j. */
KEY_INLINE words accumulated(words x)
{
    const words zero = {0};
    x ^= __builtin_shufflevector(zero, x, 0, 4, 5, 6);
    return x ^ __builtin_shufflevector(zero, x, 0, 1, 4, 5);
}

KEY_INLINE words all_word_3(words x)
{
    return __builtin_shufflevector(x, x, 3, 3, 3, 3);
}

/* RotWord (FIPS 197, 5.2) of one word, in all four. */
KEY_INLINE words all_rotated_word_3(words x)
{
    word_bytes b = (word_bytes)x;
    return (words)__builtin_shufflevector(b, b, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15, 12);
}

KEY_INLINE words all_rotated_word_1(words x)
{
    word_bytes b = (word_bytes)x;
    return (words)__builtin_shufflevector(b, b, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7, 4);
}

KEY_INLINE words round_constant(unsigned i)
{
    uint32_t rcon = i < 8 ? 1u << i : 0x1bu << (i - 8);
    return (words){rcon, rcon, rcon, rcon};
}

KEY_INLINE words load_words(const uint8_t *from)
{
    words x;
    __builtin_memcpy(&x, from, sizeof x);
    return x;
}

KEY_INLINE void store_words(uint8_t *to, words x)
{
    __builtin_memcpy(to, &x, sizeof x);
}

KEY_INLINE void expand_key_128(uint8_t *rk, const uint8_t *key)
{
    words x = load_words(key);
    store_words(rk, x);
#pragma GCC unroll 10
    for (unsigned i = 0; i < 10; i++) {
        x = sub_words(all_rotated_word_3(x), accumulated(x) ^ round_constant(i));
        store_words(rk += 16, x);
    }
}

/* Six words a step, the last two in the low half of `y`, whose high half is stored and then overwritten. */
KEY_INLINE void expand_key_192(uint8_t *rk, const uint8_t *key)
{
    words x = load_words(key);
    words y = {0};
    __builtin_memcpy(&y, key + 16, 8);
    store_words(rk, x);
    store_words(rk + 16, y);
#pragma GCC unroll 8
    for (unsigned i = 0; i < 8; i++) {
        x = sub_words(all_rotated_word_1(y), accumulated(x) ^ round_constant(i));
        y = accumulated(y) ^ all_word_3(x);
        store_words(rk += 24, x);
        if (i != 7)
            store_words(rk + 16, y);
    }
}

KEY_INLINE void expand_key_256(uint8_t *rk, const uint8_t *key)
{
    words x = load_words(key);
    words y = load_words(key + 16);
    store_words(rk, x);
    store_words(rk + 16, y);
#pragma GCC unroll 7
    for (unsigned i = 0; i < 7; i++) {
        x = sub_words(all_rotated_word_3(y), accumulated(x) ^ round_constant(i));
        store_words(rk += 32, x);
        if (i == 6)
            break;
        y = sub_words(all_word_3(x), accumulated(y));
        store_words(rk + 16, y);
    }
}

KEY_INLINE void invert_schedule(uint8_t *rk, unsigned rounds)
{
    uint8_t *low = rk;
    uint8_t *high = rk + 16 * rounds;
    words first = load_words(low);
    store_words(low, load_words(high));
    store_words(high, first);
    for (low += 16, high -= 16; low < high; low += 16, high -= 16) {
        words swapped = inverse_mix_columns(load_words(low));
        store_words(low, inverse_mix_columns(load_words(high)));
        store_words(high, swapped);
    }
    store_words(low, inverse_mix_columns(load_words(low)));
}

#define AES_VECTOR_KEY_EXPANSION(N, ROUNDS) \
    void aes_##N##_expand_key(void *rk, const uint8_t *key) { expand_key_##N(rk, key); } \
    \
    void aes_##N##_expand_key_decrypt(void *rk, const uint8_t *key) \
    { \
        expand_key_##N(rk, key); \
        invert_schedule(rk, ROUNDS); \
    }

#endif
