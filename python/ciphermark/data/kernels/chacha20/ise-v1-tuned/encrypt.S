/* ChaCha20 encryption with XChaChaV1. */
#include "quarter_round.h"

#include "halves_encrypt_asm.h"
