// Allocation of all sizes, and a check of what was kept in it; mappings.
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static uint32_t state = 1;

static uint32_t next(void) {
    state ^= state << 13, state ^= state >> 17, state ^= state << 5;
    return state;
}

static sigjmp_buf back;

static void caught(int signal) { siglongjmp(back, signal); }

int main(void) {
    enum { SLOTS = 500, ROUNDS = 20000 };
    static unsigned char *slot[SLOTS];
    static size_t size[SLOTS];
    uint64_t sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
        unsigned i = next() % SLOTS;
        for (size_t at = 0; at < size[i]; at += 97)
            if (slot[i][at] != (unsigned char)(size[i] + i)) return printf("slot %u is damaged\n", i), 1;
        size_t wanted = next() % (next() % 16 ? 500 : 300000);
        slot[i] = realloc(slot[i], wanted + 1);
        if (!slot[i]) return puts("no memory"), 1;
        size[i] = wanted;
        memset(slot[i], (int)(wanted + i), wanted);
        sum += wanted;
    }
    printf("%llu\n", (unsigned long long)sum);
    for (int i = 0; i < SLOTS; i++) free(slot[i]);

    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *area = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    strcpy(area + page, "kept");
    mprotect(area, page, PROT_READ);
    munmap(area + 2 * page, page);
    signal(SIGSEGV, caught);
    volatile char *bad[] = {area, area + 2 * page, area + 3 * page, NULL};
    for (int i = 0; i < 4; i++) {
        int which = sigsetjmp(back, 1);
        if (!which) *bad[i] = 1;
        printf("write %d: %s\n", i, which == SIGSEGV ? "refused" : "done");
    }
    char *moved = mremap(area + page, page, 50 * page, MREMAP_MAYMOVE);
    printf("%s %d\n", moved, moved[49 * page]);
    printf("%d %d\n", malloc((size_t)1 << (8 * sizeof(size_t) - 2)) == NULL, malloc(0) != NULL);
    return 0;
}
