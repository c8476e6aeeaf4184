/* What secrets do in arguments of system calls. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "secrets.h"

static unsigned char secret[16] = "0123456789abcdef";

static __attribute__((noinline)) void send(const void *bytes, unsigned long count)
{
    register long fd __asm__("a0") = 1;
    register const void *from __asm__("a1") = bytes;
    register unsigned long length __asm__("a2") = count;
    register long number __asm__("a7") = 64;
    __asm__ volatile("ecall" /* leak */ : "+r"(fd) : "r"(from), "r"(length), "r"(number) : "memory");
}

int main(int argc, char **argv)
{
    (void)argv;
    CIPHERMARK_SECRET(secret, sizeof secret);
    unsigned long count = secret[3] & 7;
    if (argc == 1)
        CIPHERMARK_PUBLIC(&count, sizeof count);
    /* What is written is as secret as before; only how much is an argument. */
    send("0123456", count);
    return 0;
}
