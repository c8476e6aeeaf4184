/* ChaCha20 over 16 KiB in place, with another nonce each round. */
#include "chacha20.h"
#include "work.h"

static OWN _Alignas(64) uint8_t buffer[16384];

uint32_t work(uint64_t rounds)
{
    _Alignas(16) uint8_t key[32], iv[16] = {1};

    for (unsigned i = 0; i < sizeof key; i++)
        key[i] = (uint8_t)(7 * i + 1);
    for (uint32_t round = 0; round < rounds; round++) {
        iv[8] = (uint8_t)round;
        iv[9] = (uint8_t)(round >> 8);
        iv[10] = (uint8_t)(round >> 16);
        chacha20_encrypt(buffer, buffer, sizeof buffer, key, iv);
    }
    return checksum(CHECKSUM_START, buffer, sizeof buffer);
}
