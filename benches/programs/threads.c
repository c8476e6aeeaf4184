/* The program as a process of BENCH_THREADS threads: `program ROUNDS` does the work in each, and prints their sum. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "work.h"

static void *thread(void *job)
{
    uint64_t *rounds = job;

    *rounds = work(*rounds);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t others[BENCH_THREADS - 1];
    uint64_t jobs[BENCH_THREADS];
    uint32_t sum = 0;

    if (argc != 2)
        return 2;
    for (unsigned i = 0; i < BENCH_THREADS; i++)
        jobs[i] = strtoull(argv[1], NULL, 10);
    for (unsigned i = 1; i < BENCH_THREADS; i++)
        if (pthread_create(&others[i - 1], NULL, thread, &jobs[i]))
            return 1;
    /* The thread that starts the others works, too: gem5 has a core for each thread, and no more. */
    thread(&jobs[0]);
    for (unsigned i = 1; i < BENCH_THREADS; i++)
        if (pthread_join(others[i - 1], NULL))
            return 1;
    for (unsigned i = 0; i < BENCH_THREADS; i++)
        sum += (uint32_t)jobs[i];
    printf("%08x\n", (unsigned)sum);
    return 0;
}
