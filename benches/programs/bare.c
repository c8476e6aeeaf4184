/*
 * The program on a bare machine: prints the checksum through HTIF, one byte a request, as QEMU wants it; or through the
 * mailbox of the benches of cores in RTL.
 */
#include "work.h"

/* A bare machine has no arguments: the number after the marker is written into the file. */
volatile const struct {
    char marker[24];
    uint64_t rounds;
} bench_rounds = {"ciphermark bench rounds", 0};

#ifdef BENCH_MAILBOX
static void put(char c)
{
    *(volatile uint32_t *)BENCH_MAILBOX = (uint8_t)c;
}

static void end(void)
{
    *(volatile uint32_t *)(BENCH_MAILBOX + 8) = 0; /* exit with status 0 */
}
#else
extern volatile uint64_t tohost, fromhost;

static void put(char c)
{
    static volatile uint64_t request[8] __attribute__((aligned(64)));
    static volatile char byte;

    byte = c;
    request[0] = 64; /* SYS_write */
    request[1] = 1;
    request[2] = (uintptr_t)&byte;
    request[3] = 1;
    __asm__ volatile("fence" ::: "memory");
    tohost = (uintptr_t)request;
    while (!fromhost) {
    }
    fromhost = 0;
}

static void end(void)
{
    tohost = 1; /* exit with status 0 */
}
#endif

void bare_main(void)
{
    uint32_t sum = work(bench_rounds.rounds);

    for (int shift = 28; shift >= 0; shift -= 4)
        put("0123456789abcdef"[sum >> shift & 15]);
    put('\n');
    for (;;)
        end();
}
