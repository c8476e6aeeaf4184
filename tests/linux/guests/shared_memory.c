// Memory that processes share: what each part prints is the same on every kernel.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, CHILDREN = 4 };

static void *map(size_t bytes, int protection, int flags) {
    void *address = mmap(NULL, bytes, protection, flags | MAP_ANONYMOUS, -1, 0);
    if (address == MAP_FAILED) {
        perror("mmap");
        exit(1);
    }
    return address;
}

static void *shared(size_t bytes) { return map(bytes, PROT_READ | PROT_WRITE, MAP_SHARED); }

static pid_t start(void) {
    fflush(stdout);
    pid_t child = fork();
    if (child < 0) {
        perror("fork");
        exit(1);
    }
    return child;
}

static void wait_for_all(void) {
    while (wait(NULL) > 0) {}
}

static void counters(void) {
    int *values = shared(PAGE);
    int *own = map(PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE);
    for (int i = 0; i < CHILDREN; i++)
        if (start() == 0) {
            for (int n = 0; n < 100000; n++) {
                __atomic_fetch_add(&values[0], 1, __ATOMIC_RELAXED);
                int old = __atomic_load_n(&values[1], __ATOMIC_RELAXED);
                while (!__atomic_compare_exchange_n(&values[1], &old, old + i, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
                own[0]++;
            }
            values[2 + i] = own[0];
            _exit(0);
        }
    wait_for_all();
    printf("%d %d, each %d %d %d %d, own %d\n", values[0], values[1], values[2], values[3], values[4], values[5], own[0]);
}

// One waits while the other works.
static void semaphores(void) {
    struct { sem_t ping, pong; int value; } *common = shared(sizeof *common);
    sem_init(&common->ping, 1, 0);
    sem_init(&common->pong, 1, 0);
    if (start() == 0) {
        for (int n = 0; n < 1000; n++) {
            sem_wait(&common->ping);
            common->value = common->value * 3 + 1;
            sem_post(&common->pong);
        }
        _exit(0);
    }
    for (int n = 0; n < 1000; n++) {
        common->value ^= n;
        sem_post(&common->ping);
        sem_wait(&common->pong);
    }
    wait_for_all();
    printf("%#x\n", common->value);
}

// A lock, and a condition that several processes wait for.
static void locks(void) {
    struct { pthread_mutex_t lock; pthread_cond_t ready, done; int go, sum, ended; } *common = shared(sizeof *common);
    pthread_mutexattr_t mutex;
    pthread_condattr_t condition;
    pthread_mutexattr_init(&mutex);
    pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
    pthread_condattr_init(&condition);
    pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&common->lock, &mutex);
    pthread_cond_init(&common->ready, &condition);
    pthread_cond_init(&common->done, &condition);
    for (int i = 0; i < CHILDREN; i++)
        if (start() == 0) {
            pthread_mutex_lock(&common->lock);
            while (!common->go) pthread_cond_wait(&common->ready, &common->lock);
            pthread_mutex_unlock(&common->lock);
            for (int n = 0; n < 5000; n++) {
                pthread_mutex_lock(&common->lock);
                int before = common->sum;
                if (n % 500 == 0) sched_yield();
                common->sum = before + 1;
                pthread_mutex_unlock(&common->lock);
            }
            pthread_mutex_lock(&common->lock);
            common->ended++;
            pthread_cond_signal(&common->done);
            pthread_mutex_unlock(&common->lock);
            _exit(0);
        }
    usleep(20000);
    pthread_mutex_lock(&common->lock);
    common->go = 1;
    pthread_cond_broadcast(&common->ready);
    while (common->ended < CHILDREN) pthread_cond_wait(&common->done, &common->lock);
    pthread_mutex_unlock(&common->lock);
    wait_for_all();
    printf("%d\n", common->sum);
}

// A ring of 2 MiB, through which more goes than it holds.
static void ring(void) {
    enum { WORDS = 1 << 19, ALL = 1500000 };
    struct { unsigned written, read; unsigned words[WORDS]; } *common = shared(sizeof *common);
    if (start() == 0) {
        for (unsigned n = 0; n < ALL; n++) {
            while (n - __atomic_load_n(&common->read, __ATOMIC_ACQUIRE) == WORDS) sched_yield();
            common->words[n % WORDS] = n * 2654435761u;
            __atomic_store_n(&common->written, n + 1, __ATOMIC_RELEASE);
        }
        _exit(0);
    }
    unsigned sum = 0;
    for (unsigned n = 0; n < ALL; n++) {
        while (__atomic_load_n(&common->written, __ATOMIC_ACQUIRE) == n) sched_yield();
        sum = sum * 31 + common->words[n % WORDS];
        __atomic_store_n(&common->read, n + 1, __ATOMIC_RELEASE);
    }
    wait_for_all();
    printf("%#x\n", sum);
}

// Parts of it are mapped by some only, have other rights, or were given up.
static void parts(void) {
    volatile char *page = shared(4 * PAGE);
    page[0] = 'a';
    if (start() == 0) {
        munmap((void *)(page + 2 * PAGE), PAGE);
        if (start() == 0) {
            page[0]++;
            page[PAGE] = 'x';
            page[3 * PAGE] = 'z';
            mprotect((void *)page, PAGE, PROT_NONE);
            _exit(0);
        }
        wait_for_all();
        page[0]++;
        madvise((void *)page, PAGE, MADV_DONTNEED);
        page[0]++;
        _exit(0);
    }
    mprotect((void *)(page + PAGE), PAGE, PROT_NONE);
    page[2 * PAGE] = 'y';
    wait_for_all();
    mprotect((void *)(page + PAGE), PAGE, PROT_READ);
    printf("%c %c %c %c\n", page[0], page[PAGE], page[2 * PAGE], page[3 * PAGE]);
    munmap((void *)page, PAGE);
    page[3 * PAGE]++;
    if (start() == 0) {
        page[3 * PAGE] -= 2;
        _exit(page[2 * PAGE]);
    }
    int status;
    wait(&status);
    printf("%c %c\n", page[3 * PAGE], WEXITSTATUS(status));
    // Nobody else has run before it is given up.
    if (start() == 0) {
        page[3 * PAGE] = 'u';
        munmap((void *)(page + 3 * PAGE), PAGE);
        page[2 * PAGE] = 'm';
        mmap((void *)(page + 2 * PAGE), PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        _exit(0);
    }
    wait_for_all();
    printf("%c %c\n", page[3 * PAGE], page[2 * PAGE]);
}

// A child of vfork has its parent's memory, which a third process has parts of.
static void vforks(void) {
    volatile int *value = shared(PAGE);
    pid_t watcher = start();
    if (watcher == 0) {
        while (value[0] != 2) sched_yield();
        value[1] = 7;
        _exit(0);
    }
    value[0] = 1;
    pid_t child = vfork();
    if (child == 0) {
        value[0]++;
        _exit(0);
    }
    while (value[1] != 7) sched_yield();
    wait_for_all();
    printf("%d %d\n", value[0], value[1]);
}

// Code that one writes and another executes.
static void code(void) {
    uint32_t *words = map(PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED);
    volatile int *turn = shared(PAGE);
    if (start() == 0) {
        for (uint32_t n = 1; n <= 50; n++) {
            words[0] = n << 20 | 0x513; // li a0, n
            words[1] = 0x8067;          // ret
            *turn = 1;
            while (*turn) sched_yield();
        }
        _exit(0);
    }
    int sum = 0;
    for (int n = 1; n <= 50; n++) {
        while (!*turn) sched_yield();
        __builtin___clear_cache((char *)words, (char *)(words + 2));
        sum += ((int (*)(void))words)();
        *turn = 0;
    }
    wait_for_all();
    printf("%d\n", sum);
}

// A system call writes to it.
static void calls(void) {
    char *text = shared(PAGE);
    int gate[2];
    pipe(gate);
    if (start() == 0) {
        ssize_t got = read(gate[0], text + 1, 20);
        text[0] = (char)('0' + got);
        _exit(0);
    }
    write(gate[1], "written", 7);
    wait_for_all();
    puts(text);
}

static long microseconds(struct timeval time) { return time.tv_sec * 1000000L + time.tv_usec; }

static void work(void) {
    for (volatile int n = 0; n < 20000000; n++) {}
}

// The time of children is known once they were waited for, with that of their own.
static void usage(void) {
    struct rusage own, children, one;
    getrusage(RUSAGE_CHILDREN, &children);
    printf("at first %ld\n", microseconds(children.ru_utime));
    if (start() == 0) {
        if (start() == 0) {
            work();
            _exit(0);
        }
        wait_for_all();
        _exit(0);
    }
    usleep(1000);
    getrusage(RUSAGE_CHILDREN, &children);
    printf("not yet %ld\n", microseconds(children.ru_utime));
    int status;
    wait4(-1, &status, 0, &one);
    getrusage(RUSAGE_CHILDREN, &children);
    getrusage(RUSAGE_SELF, &own);
    struct tms ticks;
    times(&ticks);
    printf("waited %d, the same %d, own less %d, ticks %d\n", microseconds(children.ru_utime) > 15000,
           microseconds(children.ru_utime) == microseconds(one.ru_utime),
           microseconds(own.ru_utime) < microseconds(children.ru_utime) / 2,
           ticks.tms_cutime > 0 && ticks.tms_utime < ticks.tms_cutime);
}

int main(int argc, char **argv) {
    const struct { const char *name; void (*run)(void); } all[] = {
        {"counters", counters}, {"semaphores", semaphores}, {"locks", locks}, {"ring", ring},   {"parts", parts},
        {"vforks", vforks},     {"code", code},             {"calls", calls}, {"usage", usage},
    };
    for (size_t n = 0; n < sizeof all / sizeof *all; n++)
        if (argc > 1 && strcmp(argv[1], all[n].name) == 0) {
            all[n].run();
            return 0;
        }
    return 2;
}
