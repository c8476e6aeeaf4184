/* Keys that are only remembered; see held_key.h. Constant time. */
#include "held_key/held_key.h"

#include <string.h>

void hold_key(void *schedule, const uint8_t *key, uint32_t bits, uint32_t encrypts)
{
    static uint64_t tickets;
    struct held_key held = {.ticket = ++tickets, .bits = bits, .encrypts = encrypts};

    memcpy(held.key, key, bits / 8);
    memcpy(schedule, &held, sizeof held);
}

void add_blocks(uint8_t counter[AES_BLOCK_BYTES], size_t blocks)
{
    for (int i = AES_BLOCK_BYTES - 1; i >= 0 && blocks; i--) {
        blocks += counter[i];
        counter[i] = (uint8_t)blocks;
        blocks >>= 8;
    }
}
