/*
 * ECB, CBC decryption and CTR with the AArch64 cryptographic extension, eight blocks in flight. Contract and
 * constant-time claim: vector_modes.h, with AESE and its kin, whose timing does not depend on data (FEAT_DIT).
 */
#include "vector.h"

#include "vector_modes.h"

AES_VECTOR_MODES(128, 10)
AES_VECTOR_MODES(192, 12)
AES_VECTOR_MODES(256, 14)
