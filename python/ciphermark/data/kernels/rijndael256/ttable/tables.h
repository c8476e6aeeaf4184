/*
 * Tables of the T-table technique (Daemen and Rijmen, The Design of Rijndael, section 4.2), made by the compiler: table
 * r holds what a byte in row r contributes to its column, (Inv)SubBytes and (Inv)MixColumns at once. Columns are
 * little-endian words, row 0 in the low byte, so table r is table 0 rotated left by 8r.
 */
#ifndef CIPHERMARK_RIJNDAEL_TTABLE_TABLES_H
#define CIPHERMARK_RIJNDAEL_TTABLE_TABLES_H

#include <stdint.h>

struct ttable {
    uint32_t column[4][256];
    uint8_t sbox[256]; /* for the last round, which has no MixColumns */
};

extern const struct ttable rijndael_ttable_encryption __attribute__((visibility("hidden")));
extern const struct ttable rijndael_ttable_decryption __attribute__((visibility("hidden")));

#endif
