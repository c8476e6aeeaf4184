/*
 * OpenSSL's contexts for the keys that schedules hold.
 */
#ifndef CIPHERMARK_AES_OPENSSL_CONTEXTS_H
#define CIPHERMARK_AES_OPENSSL_CONTEXTS_H

#include "held_key/held_key.h"
#include "libcrypto.h"

struct context {
    uint64_t ticket; /* of the key it has; 0 if none */
    EVP_CIPHER_CTX *evp;
    uint32_t bits;
    int continues;                /* a call with `iv` needs no new initialisation */
    uint8_t iv[AES_BLOCK_BYTES];  /* what EVP's own chaining value is, if so */
};

/* The context with the schedule's key. */
struct context *context_for(const struct held_key *key, enum mode mode);

#endif
