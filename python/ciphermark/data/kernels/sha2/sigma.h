/* The sigma functions of FIPS 180-4, 4.1.2 and 4.1.3, in plain C, for compress.h. */
#ifndef CIPHERMARK_SHA2_SIGMA_H
#define CIPHERMARK_SHA2_SIGMA_H

static inline word rotate_right(word x, unsigned n)
{
    return x >> n | x << (8 * WORD_BYTES - n);
}

static inline word big_sigma(word x, unsigned i, unsigned j, unsigned k)
{
    return rotate_right(x, i) ^ rotate_right(x, j) ^ rotate_right(x, k);
}

static inline word small_sigma(word x, unsigned i, unsigned j, unsigned k)
{
    return rotate_right(x, i) ^ rotate_right(x, j) ^ x >> k;
}

#define big_sigma_0(x) big_sigma(x, BIG_SIGMA_0)
#define big_sigma_1(x) big_sigma(x, BIG_SIGMA_1)
#define small_sigma_0(x) small_sigma(x, SMALL_SIGMA_0)
#define small_sigma_1(x) small_sigma(x, SMALL_SIGMA_1)

#endif
