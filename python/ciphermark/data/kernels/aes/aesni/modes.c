/*
 * ECB, CBC decryption and CTR with AES-NI, eight blocks in flight. Contract and constant-time claim: vector_modes.h,
 * with AESENC and its kin, whose timing does not depend on data.
 */
#include "vector.h"

#include "vector_modes.h"

AES_VECTOR_MODES(128, 10)
AES_VECTOR_MODES(192, 12)
AES_VECTOR_MODES(256, 14)
