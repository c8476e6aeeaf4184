/* What to bind for a mode. */
#ifndef CIPHERMARK_AF_ALG_DRIVERS_H
#define CIPHERMARK_AF_ALG_DRIVERS_H

#include "af_alg.h"

/* "cbc(aes)", or the driver that the environment names for this mode. */
const char *cipher_of(enum mode mode);

#endif
