/* Calls block() six times and prints a line for each: instructions and cycles between two reads of the counters. The
 * first call finds cold caches. The status is 0 if the result is RFC 8439's (2.3.2). */
#include <stdint.h>

#define READ(counter)                                                       \
    ({                                                                      \
        uint64_t value;                                                     \
        __asm__ volatile("csrr %0, " #counter : "=r"(value) : : "memory");  \
        value;                                                              \
    })
#define CALLS 6

void block(uint32_t out[16], const uint32_t in[16]);

static const uint32_t expected[16] = {
    0xe4e7f110, 0x15593bd1, 0x1fdd0f50, 0xc47120a3, 0xc7f4d1c7, 0x0368c033, 0x9aaa2204, 0x4e6cd4c3,
    0x466482d2, 0x09aa9f07, 0x05d7c214, 0xa2028bd9, 0xd19c12b5, 0xb94e16de, 0xe883d0cb, 0x4e3c50a2,
};
static uint32_t state[16] = {
    0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, 0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c,
    0x13121110, 0x17161514, 0x1b1a1918, 0x1f1e1d1c, 0x00000001, 0x09000000, 0x4a000000, 0x00000000,
};
static uint32_t out[16] __attribute__((aligned(64)));
static uint64_t instructions[CALLS], cycles[CALLS];

static void put(char c)
{
    *(volatile uint32_t *)0x60000000 = (uint8_t)c;
}

static void put_number(uint64_t value)
{
    if (value >= 10)
        put_number(value / 10);
    put('0' + value % 10);
}

int main(void)
{
    for (int call = 0; call < CALLS; call++) {
        uint64_t cycle = READ(cycle), instret = READ(instret);
        block(out, state);
        uint64_t instret_after = READ(instret), cycle_after = READ(cycle);
        instructions[call] = instret_after - instret;
        cycles[call] = cycle_after - cycle;
    }
    for (int call = 0; call < CALLS; call++) {
        put_number(instructions[call]);
        put(' ');
        put_number(cycles[call]);
        put('\n');
    }
    for (int i = 0; i < 16; i++)
        if (out[i] != expected[i])
            return 1;
    return 0;
}
