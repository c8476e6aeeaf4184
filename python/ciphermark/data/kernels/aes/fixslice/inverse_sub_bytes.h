/*
 * InvSubBytes on the bitsliced state, without the constant 0x63, which is in the round keys.
 *
 * 111 gates: 20 XOR before and 29 after the inversion, found as those of sub_bytes.h.
 */
#ifndef CIPHERMARK_AES_FIXSLICE_INVERSE_SUB_BYTES_H
#define CIPHERMARK_AES_FIXSLICE_INVERSE_SUB_BYTES_H

#include "gf256_inverse.h"

INLINE void inv_sub_bytes(word q[8])
{
    word y[22], z[18];
    const word x0 = q[0], x1 = q[1], x2 = q[2], x3 = q[3], x4 = q[4], x5 = q[5], x6 = q[6], x7 = q[7];

    y[1] = x1 ^ x5;
    y[18] = x5 ^ x6;
    y[15] = x2 ^ y[18];
    y[11] = x1 ^ x7;
    y[7] = x3 ^ y[11];
    y[16] = y[1] ^ y[7];
    y[3] = x0 ^ y[16];
    y[2] = y[18] ^ y[7];
    y[17] = y[15] ^ y[16];
    y[6] = x3 ^ y[15];
    y[10] = y[1] ^ y[6];
    y[21] = x4 ^ y[10];
    y[4] = x5 ^ y[3];
    y[9] = y[2] ^ y[4];
    y[20] = y[11] ^ y[9];
    y[13] = y[16] ^ y[21];
    y[14] = x5 ^ y[13];
    y[8] = y[9] ^ y[14];
    y[5] = y[3] ^ y[8];
    y[19] = y[10] ^ y[8];
    y[0] = x3;
    y[12] = x5;

    gf256_inverse(z, y);

    word t0 = z[6] ^ z[3];
    word t1 = z[17] ^ z[2];
    word t2 = t0 ^ z[4];
    q[6] = z[7] ^ t2;
    word t3 = z[11] ^ z[10];
    word t4 = z[15] ^ z[9];
    word t5 = t1 ^ z[5];
    word t6 = t5 ^ z[0];
    word t7 = t6 ^ z[3];
    word t8 = t3 ^ z[16];
    q[4] = t7 ^ t8;
    word t9 = t4 ^ z[11];
    word t10 = t3 ^ z[13];
    q[2] = z[14] ^ t10;
    word t11 = t9 ^ q[6];
    q[0] = t8 ^ t11;
    word t12 = t11 ^ z[1];
    word t13 = t12 ^ t5;
    word t14 = t13 ^ z[4];
    q[5] = q[2] ^ t14;
    word t15 = z[15] ^ z[12];
    word t16 = t15 ^ z[14];
    q[3] = t7 ^ t16;
    word t17 = t13 ^ z[8];
    word t18 = t17 ^ z[7];
    q[1] = z[5] ^ t18;
    word t19 = t16 ^ t14;
    word t20 = t19 ^ q[0];
    q[7] = z[17] ^ t20;
}

#endif
