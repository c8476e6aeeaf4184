/* The shortest program of use. */
#include <stdio.h>

int main(void)
{
    puts("hello, world");
    return 0;
}
