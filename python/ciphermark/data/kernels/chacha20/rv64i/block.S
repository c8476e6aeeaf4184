/* The ChaCha20 block function with base integer instructions. */
#include "steps.h"

#include "words_block_asm.h"
