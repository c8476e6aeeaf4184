/* Keys and buffers that are not aligned. Contract and constant-time claim: bytewise_modes.h. */
#include "bytewise_modes.h"

AES_BYTEWISE_EXPAND(128)
AES_BYTEWISE_EXPAND(192)
AES_BYTEWISE_EXPAND(256)
AES_BYTEWISE_MODES(128)
AES_BYTEWISE_MODES(192)
AES_BYTEWISE_MODES(256)
