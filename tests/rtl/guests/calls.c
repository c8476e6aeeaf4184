/* Calls an empty function and then a kernel's block function, six times each with nothing else between, or with BRANCHES;
 * prints the cycles of each call. */
#include <stdint.h>

#ifdef AES
#include "aes.h"
#define BLOCK aes_128_block
#else
#include "chacha20.h"
#define BLOCK chacha20_block
#endif
#define CALLS 6

uint32_t timed(void *function, void *out, const void *in, const void *schedule);
void empty(void);
void branches(void);

static uint8_t schedule[1024] __attribute__((aligned(64))), key[32] __attribute__((aligned(64)));
static uint8_t out[64] __attribute__((aligned(64))), in[64] __attribute__((aligned(64)));
static uint32_t cycles[2 * CALLS];

static void put(char c)
{
    *(volatile uint32_t *)0x60000000 = (uint8_t)c;
}

int main(void)
{
#ifdef AES
    aes_128_expand_key(schedule, key);
#endif
    for (int call = 0; call < CALLS; call++)
        cycles[call] = timed(empty, 0, 0, 0);
    for (int call = CALLS; call < 2 * CALLS; call++) {
#ifdef BRANCHES
        branches();
#endif
        cycles[call] = timed(BLOCK, out, in, schedule);
    }
    for (int call = 0; call < 2 * CALLS; call++) {
        for (int shift = 28; shift >= 0; shift -= 4)
            put("0123456789abcdef"[cycles[call] >> shift & 15]);
        put('\n');
    }
    return 0;
}
