/* ChaCha20 encryption with Zbb. */
#include "steps.h"

#include "words_encrypt_asm.h"
