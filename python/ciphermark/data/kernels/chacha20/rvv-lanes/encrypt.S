/* ChaCha20 encryption with the base vector extension: a block in each lane. */
#include "rotate_rvv.h"

#include "lanes_encrypt_asm.h"
