/*
 * The hash of a whole message by its algorithm's `compress`: padding of FIPS 180-4, 5.1, as a C template. Include after
 * the algorithm's parameters.
 */
#ifndef CIPHERMARK_SHA2_HASH_H
#define CIPHERMARK_SHA2_HASH_H

static inline void store_word(uint8_t *p, word x)
{
    for (unsigned i = WORD_BYTES; i-- != 0; x >>= 8)
        p[i] = (uint8_t)x;
}

void SHA2(hash)(uint8_t *digest, const uint8_t *data, size_t bytes)
{
    static const word initial_state[8] = { INITIAL_STATE };
    word state[8];
    word tail[2 * 16]; /* words for alignment; its contents are bytes */
    uint8_t *last = (uint8_t *)tail;
    const size_t rest = bytes % BLOCK_BYTES;
    /* A byte 0x80, then zeros, then the length in bits as two words. */
    const size_t words = rest + 1 + 2 * WORD_BYTES > BLOCK_BYTES ? 2 * 16 : 16;

    for (unsigned i = 0; i < 8; i++)
        state[i] = initial_state[i];
    SHA2(compress)(state, data, bytes / BLOCK_BYTES);
    data += bytes - rest;

    for (size_t i = rest / WORD_BYTES; i < words - 2; i++)
        tail[i] = 0;
    for (size_t i = 0; i < rest; i++)
        last[i] = data[i];
    last[rest] = 0x80;
    store_word(last + WORD_BYTES * (words - 2), (word)((uint64_t)bytes >> (8 * WORD_BYTES - 3)));
    store_word(last + WORD_BYTES * (words - 1), (word)((uint64_t)bytes << 3));
    SHA2(compress)(state, last, words / 16);

    for (unsigned i = 0; i < 8; i++)
        store_word(digest + WORD_BYTES * i, state[i]);
}

#endif
