/* A Linux program to be looked at: variables, calls, and an end of the kind that its argument names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int total;
double ratio = 0.5;
volatile int rounds;

__attribute__((noinline)) int add(int term, int sum)
{
    total += term;
    return term + sum;
}

int main(int argc, char **argv)
{
    const char *end = argc > 1 ? argv[1] : "";
    int sum = 0;

    /* getpid */
    __asm__ volatile("li a7, 172\n.globl system_call\nsystem_call: ecall" : : : "a0", "a7");
    for (int term = 1; term <= 4; term++)
        sum = add(term, sum);
    ratio *= sum;
    printf("sum %d, ratio %g\n", sum, ratio);
    fflush(stdout);
    if (!strcmp(end, "fault"))
        *(volatile int *)8 = 1;
    if (!strcmp(end, "illegal"))
        __asm__ volatile(".word 0");
    if (!strcmp(end, "abort"))
        abort();
    if (!strcmp(end, "loop"))
        for (;;)
            rounds++;
    return 7;
}
