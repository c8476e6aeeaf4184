/*
 * ChaCha20 in portable C, as RFC 8439 writes it.
 *
 * Source: RFC 8439, sections 2.1 to 2.4. Contract: chacha20.h.
 * Constant time: no table is indexed and no branch taken by data.
 */
#include "chacha20.h"

#define ROUNDS 20

/* "expand 32-byte k" */
static const uint32_t constants[4] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};

static uint32_t rotate_left(uint32_t x, int n)
{
    return x << n | x >> (32 - n);
}

static inline void quarter_round(uint32_t x[CHACHA20_BLOCK_WORDS], int a, int b, int c, int d)
{
    x[a] += x[b];
    x[d] = rotate_left(x[d] ^ x[a], 16);
    x[c] += x[d];
    x[b] = rotate_left(x[b] ^ x[c], 12);
    x[a] += x[b];
    x[d] = rotate_left(x[d] ^ x[a], 8);
    x[c] += x[d];
    x[b] = rotate_left(x[b] ^ x[c], 7);
}

void chacha20_block(uint32_t out[CHACHA20_BLOCK_WORDS], const uint32_t in[CHACHA20_BLOCK_WORDS])
{
    uint32_t x[CHACHA20_BLOCK_WORDS];

    for (int i = 0; i < CHACHA20_BLOCK_WORDS; i++)
        x[i] = in[i];
    for (int i = 0; i < ROUNDS; i += 2) {
        quarter_round(x, 0, 4, 8, 12);
        quarter_round(x, 1, 5, 9, 13);
        quarter_round(x, 2, 6, 10, 14);
        quarter_round(x, 3, 7, 11, 15);
        quarter_round(x, 0, 5, 10, 15);
        quarter_round(x, 1, 6, 11, 12);
        quarter_round(x, 2, 7, 8, 13);
        quarter_round(x, 3, 4, 9, 14);
    }
    for (int i = 0; i < CHACHA20_BLOCK_WORDS; i++)
        out[i] = x[i] + in[i];
}

static uint32_t load_little_endian(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

void chacha20_encrypt(uint8_t *out, const uint8_t *in, size_t bytes, const uint8_t *key, const uint8_t *iv)
{
    uint32_t state[CHACHA20_BLOCK_WORDS];

    for (int i = 0; i < 4; i++)
        state[i] = constants[i];
    for (int i = 0; i < 8; i++)
        state[4 + i] = load_little_endian(key + 4 * i);
    for (int i = 0; i < 4; i++)
        state[12 + i] = load_little_endian(iv + 4 * i);

    while (bytes > 0) {
        uint32_t keystream[CHACHA20_BLOCK_WORDS];
        size_t now = bytes < CHACHA20_BLOCK_BYTES ? bytes : CHACHA20_BLOCK_BYTES;

        chacha20_block(keystream, state);
        state[12]++;
        for (size_t i = 0; i < now; i++)
            out[i] = in[i] ^ (uint8_t)(keystream[i / 4] >> 8 * (i % 4));
        out += now;
        in += now;
        bytes -= now;
    }
}
