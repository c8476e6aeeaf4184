/*
 * Inversion in GF(2^8) in a tower field of bitsliced operands, between the linear layers of the S-box and its inverse.
 *
 * Source: J. Boyar and R. Peralta, A Small Depth-16 Circuit for the AES S-Box, 2012, the non-linear middle part:
 * 32 AND and 30 XOR. `y` are the 22 linear forms of the operand that it multiplies (y[0] is their x7), `z` the 18
 * products whose sums are the result.
 */
#ifndef CIPHERMARK_AES_FIXSLICE_GF256_INVERSE_H
#define CIPHERMARK_AES_FIXSLICE_GF256_INVERSE_H

#include "word.h"

INLINE void gf256_inverse(word z[18], const word y[22])
{
    word t2 = y[12] & y[15];
    word t3 = y[3] & y[6];
    word t4 = t3 ^ t2;
    word t5 = y[4] & y[0];
    word t6 = t5 ^ t2;
    word t7 = y[13] & y[16];
    word t8 = y[5] & y[1];
    word t9 = t8 ^ t7;
    word t10 = y[2] & y[7];
    word t11 = t10 ^ t7;
    word t12 = y[9] & y[11];
    word t13 = y[14] & y[17];
    word t14 = t13 ^ t12;
    word t15 = y[8] & y[10];
    word t16 = t15 ^ t12;
    word t17 = t4 ^ t14;
    word t18 = t6 ^ t16;
    word t19 = t9 ^ t14;
    word t20 = t11 ^ t16;
    word t21 = t17 ^ y[20];
    word t22 = t18 ^ y[19];
    word t23 = t19 ^ y[21];
    word t24 = t20 ^ y[18];
    word t25 = t21 ^ t22;
    word t26 = t21 & t23;
    word t27 = t24 ^ t26;
    word t28 = t25 & t27;
    word t29 = t28 ^ t22;
    word t30 = t23 ^ t24;
    word t31 = t22 ^ t26;
    word t32 = t31 & t30;
    word t33 = t32 ^ t24;
    word t34 = t23 ^ t33;
    word t35 = t27 ^ t33;
    word t36 = t24 & t35;
    word t37 = t36 ^ t34;
    word t38 = t27 ^ t36;
    word t39 = t29 & t38;
    word t40 = t25 ^ t39;
    word t41 = t40 ^ t37;
    word t42 = t29 ^ t33;
    word t43 = t29 ^ t40;
    word t44 = t33 ^ t37;
    word t45 = t42 ^ t41;
    z[0] = t44 & y[15];
    z[1] = t37 & y[6];
    z[2] = t33 & y[0];
    z[3] = t43 & y[16];
    z[4] = t40 & y[1];
    z[5] = t29 & y[7];
    z[6] = t42 & y[11];
    z[7] = t45 & y[17];
    z[8] = t41 & y[10];
    z[9] = t44 & y[12];
    z[10] = t37 & y[3];
    z[11] = t33 & y[4];
    z[12] = t43 & y[13];
    z[13] = t40 & y[5];
    z[14] = t29 & y[2];
    z[15] = t42 & y[9];
    z[16] = t45 & y[14];
    z[17] = t41 & y[8];
}

#endif
