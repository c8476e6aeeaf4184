/*
 * ECB, CBC decryption and CTR with VAES, thirty-two blocks in flight in eight registers of 512 bits. Contract and
 * constant-time claim: vector_modes.h, with VAESENC and its kin, whose timing does not depend on data.
 */
#include "vector.h"

#include "vector_modes.h"

AES_VECTOR_MODES(128, 10)
AES_VECTOR_MODES(192, 12)
AES_VECTOR_MODES(256, 14)
