/* AES in counter mode over 16 KiB in place; AES_BITS is the key's size. The counter runs on from round to round. */
#include "aes.h"
#include "work.h"

#define JOINED(bits, rest) aes_##bits##rest
#define NAME(bits, rest) JOINED(bits, rest)

static OWN _Alignas(64) uint8_t buffer[16384];
static OWN _Alignas(64) uint8_t schedule[AES_SCHEDULE_BYTES];

uint32_t work(uint64_t rounds)
{
    _Alignas(16) uint8_t key[32], counter[AES_BLOCK_BYTES];

    for (unsigned i = 0; i < sizeof key; i++)
        key[i] = (uint8_t)(7 * i + 1);
    for (unsigned i = 0; i < sizeof counter; i++)
        counter[i] = (uint8_t)(11 * i);
    NAME(AES_BITS, _expand_key)(schedule, key);
    for (; rounds--;)
        NAME(AES_BITS, _ctr_encrypt)(buffer, buffer, sizeof buffer, counter, schedule);
    return checksum(CHECKSUM_START, buffer, sizeof buffer);
}
