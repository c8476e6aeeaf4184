/* ChaCha20 encryption with base integer instructions. */
#include "steps.h"

#include "words_encrypt_asm.h"
