#include "blake2s.h"

#include <stddef.h>

#define BLOCK_BYTES 64u
#define ROUNDS 10

void *memcpy(void *restrict to, const void *restrict from, size_t bytes);
void *memset(void *to, int value, size_t bytes);

/* RFC 7693, section 2.6. */
static const uint32_t iv[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

/* Section 2.7. */
static const uint8_t sigma[ROUNDS][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
};

static uint32_t rotated(uint32_t x, unsigned right)
{
    return x >> right | x << (32 - right);
}

/* Section 3.1, on words that stay in registers. */
#define MIX(a, b, c, d, number) \
    a += b + m[s[2 * (number)]]; \
    d = rotated(d ^ a, 16); \
    c += d; \
    b = rotated(b ^ c, 12); \
    a += b + m[s[2 * (number) + 1]]; \
    d = rotated(d ^ a, 8); \
    c += d; \
    b = rotated(b ^ c, 7)

/* Section 3.2; `total` includes this block. */
static void compress(uint32_t h[8], const uint32_t m[16], uint64_t total, int last)
{
    uint32_t v0 = h[0], v1 = h[1], v2 = h[2], v3 = h[3], v4 = h[4], v5 = h[5], v6 = h[6], v7 = h[7];
    uint32_t v8 = iv[0], v9 = iv[1], v10 = iv[2], v11 = iv[3];
    uint32_t v12 = iv[4] ^ (uint32_t)total, v13 = iv[5] ^ (uint32_t)(total >> 32), v14 = last ? ~iv[6] : iv[6], v15 = iv[7];
    for (const uint8_t *s = sigma[0]; s < sigma[ROUNDS]; s += 16) {
        MIX(v0, v4, v8, v12, 0);
        MIX(v1, v5, v9, v13, 1);
        MIX(v2, v6, v10, v14, 2);
        MIX(v3, v7, v11, v15, 3);
        MIX(v0, v5, v10, v15, 4);
        MIX(v1, v6, v11, v12, 5);
        MIX(v2, v7, v8, v13, 6);
        MIX(v3, v4, v9, v14, 7);
    }
    h[0] ^= v0 ^ v8;
    h[1] ^= v1 ^ v9;
    h[2] ^= v2 ^ v10;
    h[3] ^= v3 ^ v11;
    h[4] ^= v4 ^ v12;
    h[5] ^= v5 ^ v13;
    h[6] ^= v6 ^ v14;
    h[7] ^= v7 ^ v15;
}

void blake2s_begin(struct blake2s *hash, const uint32_t key[KEY_WORDS])
{
    memcpy(hash->h, iv, sizeof iv);
    hash->h[0] ^= 0x01010000u ^ (4 * KEY_WORDS) << 8 ^ DIGEST_BYTES;
    memset(hash->block, 0, sizeof hash->block);
    memcpy(hash->block, key, 4 * KEY_WORDS);
    hash->filled = BLOCK_BYTES;
    hash->total = 0;
}

void blake2s_settle(struct blake2s *hash)
{
    hash->total += BLOCK_BYTES;
    compress(hash->h, hash->block, hash->total, 0);
    hash->filled = 0;
}

void blake2s_add(struct blake2s *hash, const uint8_t *bytes, uint32_t count)
{
    while (count) {
        /* A full block waits until it is known not to be the last. */
        if (hash->filled == BLOCK_BYTES)
            blake2s_settle(hash);
        uint32_t room = BLOCK_BYTES - hash->filled;
        uint32_t taken = count < room ? count : room;
        memcpy((uint8_t *)hash->block + hash->filled, bytes, taken);
        hash->filled += taken;
        bytes += taken;
        count -= taken;
    }
}

void blake2s_digest(const struct blake2s *hash, uint8_t digest[DIGEST_BYTES])
{
    uint32_t h[8], block[16];
    memcpy(h, hash->h, sizeof h);
    memcpy(block, hash->block, sizeof block);
    memset((uint8_t *)block + hash->filled, 0, BLOCK_BYTES - hash->filled);
    compress(h, block, hash->total + hash->filled, 1);
    memcpy(digest, h, DIGEST_BYTES);
}
