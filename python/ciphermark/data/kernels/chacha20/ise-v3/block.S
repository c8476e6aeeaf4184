/* The block function as published for XChaChaV3: four instructions per quarter round. All else: paper_asm.h. */
#include "chacha-v3.h"

.macro quarter_round ad, bc, from_ad, from_bc
    chacha.ad0.v3 \ad, \from_ad, \from_bc
    chacha.bc0.v3 \bc, \ad, \from_bc
    chacha.ad1.v3 \ad, \ad, \bc
    chacha.bc1.v3 \bc, \ad, \bc
.endm

#include "paper_asm.h"
