/* ChaCha20's steps with XChaChaV1: two instructions per quarter round. What halves.h asks for. */
#ifndef CIPHERMARK_CHACHA20_ISE_V1_TUNED_QUARTER_ROUND_H
#define CIPHERMARK_CHACHA20_ISE_V1_TUNED_QUARTER_ROUND_H

#include "chacha-v1.h"

.macro quarter_round ad, bc, from_ad, from_bc, t
    chacha.ad.v1 \ad, \from_ad, \from_bc
    chacha.bc.v1 \bc, \ad, \from_bc
.endm

/* Adding an upper half to nothing below carries nothing. */
.macro add_high to, x, y
    chacha.packhl \to, zero, \y
    add     \to, \to, \x
.endm

#endif
