/* The S-box and its inverse as tables. */
#include "cipher.h"
#include "sbox.h"

#define VALUE(s) s

const uint8_t rijndael_sbox[256] = {SBOX(VALUE)};
const uint8_t rijndael_inverse_sbox[256] = {INVERSE_SBOX(VALUE)};
