/* The ChaCha20 block function with Zbb. */
#include "steps.h"

#include "words_block_asm.h"
