/*
 * SHA-256 in plain C: rotations are written as shifts and words read byte by byte, and what a compiler makes of that is
 * what is measured.
 *
 * Source: FIPS 180-4. Contract: sha2.h. Constant time: no table is indexed and no branch taken by data.
 */
#include "sha256_parameters.h"

#include "load_bytes.h"
#include "sigma.h"

#include "compress.h"
#include "hash.h"
