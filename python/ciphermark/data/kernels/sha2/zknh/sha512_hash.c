/* The whole SHA-512: padding in C around the compression function. Contract: sha2.h. */
#include "sha512_parameters.h"

#include "hash.h"
