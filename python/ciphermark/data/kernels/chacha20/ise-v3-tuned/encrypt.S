/* ChaCha20 encryption with XChaChaV3. */
#include "quarter_round.h"

#include "halves_encrypt_asm.h"
