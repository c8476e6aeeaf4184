/* ChaCha20's steps with XChaChaV2: three instructions per quarter round. What halves.h asks for. */
#ifndef CIPHERMARK_CHACHA20_ISE_V2_TUNED_QUARTER_ROUND_H
#define CIPHERMARK_CHACHA20_ISE_V2_TUNED_QUARTER_ROUND_H

#include "chacha-v2.h"

.macro quarter_round ad, bc, from_ad, from_bc, t
    chacha.bd.v2 \t, \from_ad, \from_bc
    chacha.ad.v2 \ad, \from_ad, \t
    chacha.bc.v2 \bc, \ad, \from_bc
.endm

/* Adding an upper half to nothing below carries nothing. */
.macro add_high to, x, y
    chacha.packhl \to, zero, \y
    add     \to, \to, \x
.endm

#endif
