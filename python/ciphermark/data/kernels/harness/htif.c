/* The bare machine's host-target interface: the one way out, the same under every engine; and its memory. */

#include "platform.h"

extern volatile uint64_t tohost, fromhost;

/* QEMU acts on the write of the high word on RV32, so it comes last. */
static void send(uintptr_t value)
{
#if __riscv_xlen == 32
    volatile uint32_t *half = (volatile uint32_t *)&tohost;
    half[0] = value;
    half[1] = 0;
#else
    tohost = value;
#endif
}

/* SYS_write of one byte to fd 1: QEMU proxies no longer ones. */
void platform_putc(char c)
{
    static volatile uint64_t request[8] __attribute__((aligned(64)));
    static volatile char byte;
    byte = c;
    request[0] = 64;
    request[1] = 1;
    request[2] = (uintptr_t)&byte;
    request[3] = 1;
    __asm__ volatile("fence" ::: "memory");
    send((uintptr_t)request);
    while (!fromhost) {
    }
    fromhost = 0;
}

void platform_exit(uint32_t code)
{
    for (;;)
        send(((uintptr_t)code << 1) | 1);
}

uint8_t *platform_schedule(uint8_t *behind)
{
    return behind;
}
