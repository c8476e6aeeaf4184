/* The ChaCha20 block function with XChaChaV3. */
#include "quarter_round.h"

#include "halves_block_asm.h"
