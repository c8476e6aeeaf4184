/* Partial blocks and unaligned pointers, on this folder's block function. */
#include "bytewise.h"
