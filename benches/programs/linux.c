/* The program as a process: `program ROUNDS` prints the checksum. */
#include <stdio.h>
#include <stdlib.h>

#include "work.h"

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    printf("%08x\n", (unsigned)work(strtoull(argv[1], NULL, 10)));
    return 0;
}
