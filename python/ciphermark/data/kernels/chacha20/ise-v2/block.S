/* The block function as published for XChaChaV2: three instructions per quarter round. All else: paper_asm.h. */
#include "chacha-v2.h"

.macro quarter_round ad, bc, from_ad, from_bc
    chacha.bd.v2 \bc, \from_ad, \from_bc
    chacha.ad.v2 \ad, \from_ad, \bc
    chacha.bc.v2 \bc, \ad, \from_bc
.endm

#include "paper_asm.h"
