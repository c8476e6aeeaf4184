/*
 * OpenSSL's contexts for the keys of aes.h's schedules.
 *
 * A schedule holds the key and a ticket, a number given once. The contexts lie in a small table at the ticket's place
 * in it and are made when first used: whoever expands keys without end, at whatever addresses, leaks none, and a
 * schedule whose place was taken meanwhile is keyed anew.
 */
#ifndef CIPHERMARK_AES_OPENSSL_CONTEXTS_H
#define CIPHERMARK_AES_OPENSSL_CONTEXTS_H

#include "aes.h"
#include "libcrypto.h"

enum mode { MODE_ECB, MODE_CBC, MODE_CTR, MODES };

/* What a schedule of aes.h holds. */
struct held_key {
    uint64_t ticket;
    uint32_t bits;
    uint32_t encrypt; /* 0 or 1, for EVP */
    uint8_t key[32];
};

struct context {
    uint64_t ticket; /* of the key it has; 0 if none */
    EVP_CIPHER_CTX *evp;
    uint32_t bits;
    int continues;                /* a call with `iv` needs no new initialisation */
    uint8_t iv[AES_BLOCK_BYTES];  /* what EVP's own chaining value is, if so */
};

void hold_key(void *schedule, const uint8_t *key, uint32_t bits, uint32_t encrypt);

/* The context with the schedule's key. */
struct context *context_for(const struct held_key *key, enum mode mode);

#endif
