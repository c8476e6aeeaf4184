// Randomness and clocks, which repeat from run to run unless asked otherwise.
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

int main(void) {
    unsigned char bytes[16];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) return 1;
    for (int i = 0; i < 16; i++) printf("%02x", bytes[i]);
    struct timespec now, later;
    clock_gettime(CLOCK_MONOTONIC, &now);
    nanosleep(&(struct timespec){1, 500}, NULL);
    clock_gettime(CLOCK_MONOTONIC, &later);
    long long passed = (later.tv_sec - now.tv_sec) * 1000000000LL + later.tv_nsec - now.tv_nsec;
    printf("\n%d\n%lld\n", passed >= 1000000500, (long long)time(NULL));
    return 0;
}
