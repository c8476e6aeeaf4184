/*
 * One block with the AArch64 cryptographic extension. Contract: aes.h, any alignment. Constant time: no branch or
 * address depends on key or data.
 */
#include "vector.h"

#include "vector_modes.h"

AES_VECTOR_BLOCK(128, 10)
AES_VECTOR_BLOCK(192, 12)
AES_VECTOR_BLOCK(256, 14)
