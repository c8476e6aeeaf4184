/* What code for landing pads and shadow stacks does where neither is switched on. */
#include <stdio.h>

/* A function as a compiler makes it with both: LPAD, SSPUSH at its beginning, SSPOPCHK before its end. */
__attribute__((naked, noinline)) static long guarded(long value)
{
    __asm__(".option push\n"
            ".option norelax\n"
            "auipc zero, 0x12345\n"  /* lpad 0x12345 */
            ".4byte 0xce104073\n"    /* sspush ra */
            "slli a0, a0, 1\n"
            ".4byte 0xcdc0c073\n"    /* sspopchk ra */
            "ret\n"
            ".option pop\n");
}

static long pointer(void)
{
    long found = 7;

    __asm__ volatile("mv t0, %0\n"
                     ".4byte 0xcdc042f3\n" /* ssrdp t0 */
                     "mv %0, t0\n"
                     : "+r"(found)
                     :
                     : "t0");
    return found;
}

int main(void)
{
    /* Label first, as an indirect call sets it: none of this is checked. */
    __asm__ volatile("lui t2, 0x54321" ::: "t2");
    long (*volatile indirect)(long) = guarded;

    printf("%ld %ld\n", indirect(21), pointer());
    return 0;
}
