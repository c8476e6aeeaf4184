/* ChaCha20 encryption with Zvkb's rotations, which Zvbb has, too: a block in each lane. */
#include "rotate_zvkb.h"

#include "lanes_encrypt_asm.h"
