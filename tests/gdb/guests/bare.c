/* A bare-metal program to be looked at, of either width; with a vector unit it uses that too. */
#include <stdint.h>

volatile uint64_t tohost, fromhost;
unsigned long squares[4];
uint32_t lanes[4] = {1, 2, 3, 4};

__attribute__((noinline)) unsigned long square(unsigned long number)
{
    return number * number;
}

#ifdef VECTOR
__attribute__((noinline)) void double_lanes(void)
{
    __asm__ volatile(".option push\n.option arch, +v\n"
                     "vsetivli zero, 4, e32, m1, ta, ma\n"
                     "vle32.v v8, (%0)\n"
                     "vadd.vv v9, v8, v8\n"
                     ".globl doubled\ndoubled:\n"
                     "vse32.v v9, (%0)\n"
                     ".option pop" : : "r"(lanes) : "memory");
}
#endif

__attribute__((noinline)) void illegal(void)
{
    __asm__ volatile(".word 0");
}

int main(void)
{
    for (unsigned long number = 0; number < 4; number++)
        squares[number] = square(number);
#ifdef VECTOR
    double_lanes();
#endif
#ifdef ILLEGAL
    illegal();
#endif
    return 5;
}

/* The upper half of tohost last, which makes one write of both on RV32. */
__asm__(".section .init, \"ax\"\n.globl _start\n_start:\n"
        "la sp, stack_top\n"
        "li t0, 0x6600\ncsrs mstatus, t0\n"
        "call main\n"
        "slli a0, a0, 1\nori a0, a0, 1\nla t0, tohost\nsw a0, 0(t0)\nsw zero, 4(t0)\n"
        "1: j 1b\n.text\n");
