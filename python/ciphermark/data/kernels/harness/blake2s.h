/* BLAKE2s (RFC 7693) with a 128-bit key and 128 bits of digest: what outputs and transcripts are compared by. */
#ifndef CIPHERMARK_BLAKE2S_H
#define CIPHERMARK_BLAKE2S_H

#include <stdint.h>

#define KEY_WORDS 4
#define DIGEST_BYTES 16u

struct blake2s {
    uint32_t h[8];
    uint32_t block[16];
    uint32_t filled; /* bytes of `block` */
    uint64_t total;  /* bytes compressed */
};

void blake2s_begin(struct blake2s *hash, const uint32_t key[KEY_WORDS]);

/* Compresses what waits in `block`, so that many messages can go on from one copy; what follows must not be empty. */
void blake2s_settle(struct blake2s *hash);

void blake2s_add(struct blake2s *hash, const uint8_t *bytes, uint32_t count);

/* The digest so far; `hash` is left as it is. */
void blake2s_digest(const struct blake2s *hash, uint8_t digest[DIGEST_BYTES]);

#endif
