/* ChaCha20 encryption with XChaChaV2. */
#include "quarter_round.h"

#include "halves_encrypt_asm.h"
