/*
 * The compression function of FIPS 180-4, 6.2.2 and 6.4.2, as a C template.
 *
 * Include after the algorithm's parameters, after the functions `big_sigma_0`, `big_sigma_1`, `small_sigma_0` and
 * `small_sigma_1`, and after `load_block(word w[16], const uint8_t *data)`, which reads big-endian words.
 *
 * Eight rounds at a time, so that the working variables change names instead of moving. The schedule is a ring of
 * 16 words: eight are extended just before the eight rounds that use them.
 * Constant time: no table is indexed and no branch taken by data.
 */
#ifndef CIPHERMARK_SHA2_COMPRESS_H
#define CIPHERMARK_SHA2_COMPRESS_H

static const word round_constants[ROUNDS] = { ROUND_CONSTANTS };

/* W(t + 16) = W(t) + sigma0(W(t + 1)) + W(t + 9) + sigma1(W(t + 14)) */
#define EXTEND(w, w1, w9, w14) w += small_sigma_0(w1) + (w9) + small_sigma_1(w14)

/* `now` becomes the ring's next eight words; `other` is its other half. */
static inline __attribute__((always_inline)) void extend(word *now, const word *other)
{
    EXTEND(now[0], now[1], other[1], other[6]);
    EXTEND(now[1], now[2], other[2], other[7]);
    EXTEND(now[2], now[3], other[3], now[0]);
    EXTEND(now[3], now[4], other[4], now[1]);
    EXTEND(now[4], now[5], other[5], now[2]);
    EXTEND(now[5], now[6], other[6], now[3]);
    EXTEND(now[6], now[7], other[7], now[4]);
    EXTEND(now[7], other[0], now[0], now[5]);
}

#define CHOOSE(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))
#define MAJORITY(x, y, z) (((x) & (y)) | (((x) | (y)) & (z)))
#define ROUND(a, b, c, d, e, f, g, h, i) \
    do { \
        h += big_sigma_1(e) + CHOOSE(e, f, g) + k[i] + w[i]; \
        d += h; \
        h += big_sigma_0(a) + MAJORITY(a, b, c); \
    } while (0)

void SHA2(compress)(word state[8], const uint8_t *data, size_t blocks)
{
    word a = state[0], b = state[1], c = state[2], d = state[3];
    word e = state[4], f = state[5], g = state[6], h = state[7];

    for (; blocks != 0; blocks--, data += BLOCK_BYTES) {
        word ring[16];
        load_block(ring, data);

        word *w = ring, *other = ring + 8;
        for (const word *k = round_constants; k != round_constants + ROUNDS; k += 8) {
            if (k >= round_constants + 16)
                extend(w, other);
            ROUND(a, b, c, d, e, f, g, h, 0);
            ROUND(h, a, b, c, d, e, f, g, 1);
            ROUND(g, h, a, b, c, d, e, f, 2);
            ROUND(f, g, h, a, b, c, d, e, 3);
            ROUND(e, f, g, h, a, b, c, d, 4);
            ROUND(d, e, f, g, h, a, b, c, 5);
            ROUND(c, d, e, f, g, h, a, b, 6);
            ROUND(b, c, d, e, f, g, h, a, 7);
            word *half = w;
            w = other;
            other = half;
        }
        a = state[0] += a;
        b = state[1] += b;
        c = state[2] += c;
        d = state[3] += d;
        e = state[4] += e;
        f = state[5] += f;
        g = state[6] += g;
        h = state[7] += h;
    }
}

#endif
