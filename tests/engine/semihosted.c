/* A program of a bare machine that does everything by semihosting. Its status is the number of the first step that failed. */

#include <stdint.h>

static uintptr_t call(uintptr_t number, const volatile void *parameter)
{
    register uintptr_t a0 __asm__("a0") = number;
    register const volatile void *a1 __asm__("a1") = parameter;
    __asm__ volatile(".option push\n.option norvc\n.balign 16\nslli x0, x0, 0x1f\nebreak\nsrai x0, x0, 7\n.option pop"
                     : "+r"(a0) : "r"(a1) : "memory");
    return a0;
}

static uintptr_t length(const char *text)
{
    uintptr_t count = 0;
    while (text[count])
        count++;
    return count;
}

static uintptr_t open(const char *name, uintptr_t mode)
{
    volatile uintptr_t block[3] = {(uintptr_t)name, mode, length(name)};
    return call(0x01, block);
}

/* SYS_WRITE, SYS_READ: how many bytes are left. */
static uintptr_t transfer(uintptr_t number, uintptr_t handle, const void *bytes, uintptr_t count)
{
    volatile uintptr_t block[3] = {handle, (uintptr_t)bytes, count};
    return call(number, block);
}

static uintptr_t one(uintptr_t number, uintptr_t handle)
{
    volatile uintptr_t block[1] = {handle};
    return call(number, block);
}

static uintptr_t two(uintptr_t number, uintptr_t first, uintptr_t second)
{
    volatile uintptr_t block[2] = {first, second};
    return call(number, block);
}

static __attribute__((noreturn)) void leave(uintptr_t status)
{
    two(0x20, 0x20026, status);
    for (;;) {
    }
}

#define MUST(number, holds) \
    do { \
        if (!(holds)) \
            leave(number); \
    } while (0)

void program(void)
{
    static char buffer[64];
    uintptr_t out = open(":tt", 4), in = open(":tt", 0);
    MUST(1, out != (uintptr_t)-1 && out != 0 && in != (uintptr_t)-1 && out != in);
    MUST(2, one(0x09, out) == 1);
    MUST(3, transfer(0x05, out, "written\n", 8) == 0);
    call(0x04, "a string\n");
    call(0x03, "!\n");
    MUST(4, transfer(0x06, in, buffer, 4) == 0 && buffer[0] == 'i' && buffer[3] == 'u');
    MUST(5, call(0x07, 0) == 't');

    uintptr_t features = open(":semihosting-features", 0);
    MUST(25, transfer(0x06, features, buffer, 5) == 0 && buffer[0] == 'S' && buffer[3] == 'B' && buffer[4] == 3);
    volatile uintptr_t room[2] = {(uintptr_t)buffer, sizeof buffer};
    MUST(6, call(0x15, room) == 0 && length(buffer) == room[1]);
    transfer(0x05, out, buffer, room[1]);
    volatile uintptr_t small[2] = {(uintptr_t)buffer, 2};
    MUST(7, call(0x15, small) == (uintptr_t)-1);

    uintptr_t file = open("made", 6);
    MUST(8, file != (uintptr_t)-1);
    MUST(9, transfer(0x05, file, "0123456789", 10) == 0);
    MUST(10, two(0x0a, file, 4) == 0);
    MUST(11, transfer(0x06, file, buffer, 20) == 14 && buffer[0] == '4' && buffer[5] == '9');
    MUST(12, one(0x0c, file) == 10 && one(0x09, file) == 0);
    MUST(13, one(0x02, file) == 0 && one(0x02, file) == (uintptr_t)-1);
    file = open("made", 8);
    MUST(14, transfer(0x05, file, "more", 4) == 0 && one(0x02, file) == 0);

    volatile uintptr_t names[4] = {(uintptr_t) "made", 4, (uintptr_t) "kept", 4};
    MUST(15, call(0x0f, names) == 0);
    MUST(16, open("made", 0) == (uintptr_t)-1 && call(0x13, 0) == 2);
    MUST(17, open("../outside", 0) == (uintptr_t)-1 && open("/etc/passwd", 0) == (uintptr_t)-1);
    MUST(18, open("kept", 12) == (uintptr_t)-1 && one(0x02, 77) == (uintptr_t)-1);
    file = open("gone", 4);
    one(0x02, file);
    volatile uintptr_t gone[2] = {(uintptr_t) "gone", 4};
    MUST(19, call(0x0e, gone) == 0 && open("gone", 0) == (uintptr_t)-1);

    volatile uint64_t first = 0, second = 0;
    call(0x30, &first);
    call(0x30, &second);
    MUST(20, second > first && call(0x31, 0) == 1000000000 && call(0x10, 0) == 0 && call(0x11, 0) > 1700000000);
    volatile uintptr_t heap[4] = {1, 1, 1, 1}, where[1] = {(uintptr_t)heap};
    call(0x16, where);
    MUST(21, heap[0] == 0 && heap[3] == 0);
    MUST(22, two(0x08, (uintptr_t)-5, 0) == 1 && two(0x08, 5, 0) == 0);
    MUST(23, call(0x99, 0) == (uintptr_t)-1 && call(0x13, 0) == 38);
    /* Not between the two shifts, an ebreak is one; and what is outside memory is no string. */
    MUST(24, call(0x04, (void *)16) == (uintptr_t)-1);
    leave(0);
}

__asm__(".section .text.init\n.globl _start\n_start: la sp, stack_end\nj program\n"
        ".bss\n.p2align 4\n.skip 4096\nstack_end:\n.text\n");
