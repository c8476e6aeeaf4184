/*
 * SubBytes on the bitsliced state, without the constant 0x63, which is in the round keys.
 *
 * 110 gates: 21 XOR before and 27 after the inversion. These linear layers are the shortest that the greedy algorithm
 * of Boyar, Matthews and Peralta (Logic Minimization Techniques with Applications to Cryptology, 2013) found among the
 * 2040 circuits that are equivalent because inverting (c x)^(2^k) gives (x^-1 / c)^(2^k).
 */
#ifndef CIPHERMARK_AES_FIXSLICE_SUB_BYTES_H
#define CIPHERMARK_AES_FIXSLICE_SUB_BYTES_H

#include "gf256_inverse.h"

INLINE void sub_bytes(word q[8])
{
    word y[22], z[18];
    const word x0 = q[0], x1 = q[1], x2 = q[2], x3 = q[3], x4 = q[4], x5 = q[5], x6 = q[6], x7 = q[7];

    y[9] = x0 ^ x6;
    y[3] = x2 ^ y[9];
    y[21] = x4 ^ y[9];
    y[16] = x3 ^ y[3];
    y[13] = y[21] ^ y[16];
    y[1] = x7 ^ y[16];
    y[20] = x5 ^ y[13];
    y[11] = y[9] ^ y[20];
    y[0] = x7 ^ y[11];
    y[14] = x6 ^ y[0];
    y[8] = x0 ^ y[0];
    y[12] = y[13] ^ y[14];
    y[4] = y[3] ^ y[12];
    y[2] = x2 ^ y[12];
    y[18] = x7 ^ y[2];
    y[6] = x1 ^ y[18];
    y[5] = x2 ^ y[14];
    y[15] = y[0] ^ y[6];
    y[17] = y[16] ^ y[15];
    y[10] = y[1] ^ y[6];
    y[19] = y[8] ^ y[10];
    y[7] = x7;

    gf256_inverse(z, y);

    word t0 = z[16] ^ z[15];
    word t1 = z[13] ^ z[12];
    q[5] = t0 ^ t1;
    word t2 = z[4] ^ z[1];
    word t3 = z[5] ^ z[2];
    word t4 = t2 ^ z[0];
    q[1] = z[3] ^ t4;
    word t5 = z[8] ^ z[5];
    word t6 = t3 ^ t2;
    word t7 = z[7] ^ z[4];
    q[2] = t5 ^ t7;
    word t8 = t4 ^ z[6];
    word t9 = q[1] ^ q[5];
    q[0] = t6 ^ t9;
    word t10 = t7 ^ z[9];
    word t11 = t8 ^ z[11];
    word t12 = t11 ^ t10;
    word t13 = t5 ^ q[5];
    q[4] = t8 ^ t13;
    word t14 = z[14] ^ z[12];
    q[3] = t12 ^ t14;
    word t15 = t6 ^ z[10];
    word t16 = t15 ^ t0;
    q[6] = z[9] ^ t16;
    word t17 = t12 ^ q[0];
    word t18 = t17 ^ z[15];
    q[7] = z[17] ^ t18;
}

#endif
