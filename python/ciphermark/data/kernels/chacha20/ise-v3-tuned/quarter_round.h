/* ChaCha20's steps with XChaChaV3: four instructions per quarter round. What halves.h asks for. */
#ifndef CIPHERMARK_CHACHA20_ISE_V3_TUNED_QUARTER_ROUND_H
#define CIPHERMARK_CHACHA20_ISE_V3_TUNED_QUARTER_ROUND_H

#include "chacha-v3.h"

.macro quarter_round ad, bc, from_ad, from_bc, t
    chacha.ad0.v3 \ad, \from_ad, \from_bc
    chacha.bc0.v3 \bc, \ad, \from_bc
    chacha.ad1.v3 \ad, \ad, \bc
    chacha.bc1.v3 \bc, \ad, \bc
.endm

/* The sum is what ad0 begins with. */
.macro add_high to, x, y
    chacha.ad0.v3 \to, \x, \y
.endm

#endif
