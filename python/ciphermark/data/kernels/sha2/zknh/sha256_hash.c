/* The whole SHA-256: padding in C around the compression function. Contract: sha2.h. */
#include "sha256_parameters.h"

#include "hash.h"
