/* The block function as published for XChaChaV1: two instructions per quarter round. All else: paper_asm.h. */
#include "chacha-v1.h"

.macro quarter_round ad, bc, from_ad, from_bc
    chacha.ad.v1 \ad, \from_ad, \from_bc
    chacha.bc.v1 \bc, \ad, \from_bc
.endm

#include "paper_asm.h"
