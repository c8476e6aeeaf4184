/*
 * What a byte shuffle must do to a block of 256 bits so that an AES round on each of its halves becomes a round of
 * Rijndael (Drucker and Gueron, Software Optimization of Rijndael256 for Modern x86-64 Platforms, 2022): undo the
 * ShiftRows of AES, which rotates a row of four columns by its number, and do Rijndael's, which rotates one of eight by
 * 0, 1, 3 and 4. Byte 4c + r of the shuffled block, for column c and row r, is taken from the byte numbered here.
 */
#ifndef CIPHERMARK_RIJNDAEL_SHUFFLES_H
#define CIPHERMARK_RIJNDAEL_SHUFFLES_H

#define ENCRYPT_SHUFFLE \
    0, 17, 22, 23, 4, 5, 26, 27, 8, 9, 14, 31, 12, 13, 18, 19, \
    16, 1, 6, 7, 20, 21, 10, 11, 24, 25, 30, 15, 28, 29, 2, 3

#define DECRYPT_SHUFFLE \
    0, 1, 30, 31, 4, 5, 2, 19, 8, 9, 22, 23, 12, 29, 26, 27, \
    16, 17, 14, 15, 20, 21, 18, 3, 24, 25, 6, 7, 28, 13, 10, 11

#endif
