/* A socket bound to a cipher of the kernel's, before it has a key. */
#ifndef CIPHERMARK_AF_ALG_BIND_H
#define CIPHERMARK_AF_ALG_BIND_H

/* By algorithm ("cbc(aes)": its driver of the highest priority) or by driver. NULL, or why not and what mends it. */
const char *bind_cipher(const char *name, int *transform);

#endif
