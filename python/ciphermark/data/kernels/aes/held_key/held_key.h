/*
 * Schedules of aes.h for a cipher that is somebody else's, a library's or the kernel's, and takes the key itself.
 *
 * A schedule holds the key and a ticket, a number given once. Whoever works with it keeps what it opened for a key in a
 * small table at the ticket's place in it, and opens it when first used: so whoever expands keys without end, at
 * whatever addresses, leaks nothing, and a schedule whose place was taken meanwhile is opened anew.
 */
#ifndef CIPHERMARK_AES_HELD_KEY_H
#define CIPHERMARK_AES_HELD_KEY_H

#include "aes.h"

enum mode { MODE_ECB, MODE_CBC, MODE_CTR, MODES };

struct held_key {
    uint64_t ticket;
    uint32_t bits;
    uint32_t encrypts; /* 0 or 1 */
    uint8_t key[32];
};

/* More schedules than any caller uses by turns; a power of two. */
#define KEY_PLACES 8

void hold_key(void *schedule, const uint8_t *key, uint32_t bits, uint32_t encrypts);

/* Advances a counter of CTR mode, which such a cipher does for itself and does not tell. */
void add_blocks(uint8_t counter[AES_BLOCK_BYTES], size_t blocks);

#endif
