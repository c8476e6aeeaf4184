/* What the harness needs of a vector unit. It is compiled without one, so this stands in vector.S as words. */
#ifndef CIPHERMARK_VECTOR_H
#define CIPHERMARK_VECTOR_H

#include <stdint.h>

/* VLEN: eight times what `vlenb` reads. Traps on a core without vectors. */
uint32_t vector_bits(void);

/*
 * Leave in every vector register, vl and vtype something no kernel expects: the ABI promises none of them at a call,
 * so a kernel that takes them for zero, or for what its last call left, must fail here.
 */
void spoil_vector_state(void);

#endif
