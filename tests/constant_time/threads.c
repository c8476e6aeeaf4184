/* Secrets in registers while threads switch and handlers run. The argument says which leak to commit, if any. */

#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "secrets.h"

static uint8_t key[8] = {17, 34, 51, 68, 85, 102, 119, 136};
static volatile uint8_t table[256];
static volatile uint8_t sink;
static volatile int rounds;
static const char *wanted;

static int wants(const char *name) { return strcmp(wanted, name) == 0; }

/* Its secret is in s2 while other threads run, which have something public there. */
static void *second(void *unused)
{
    uint64_t value;
    __asm__ volatile("ld s2, 0(%1)\n li a7, 124\n ecall\n mv %0, s2"
                     : "=r"(value) : "r"(key) : "s2", "a0", "a7", "memory");
    if (wants("thread"))
        sink = table[value & 255]; /* leak: thread */
    sink = (uint8_t)value;
    rounds++;
    return unused;
}

__attribute__((naked)) static void forgets(void) { __asm__("li s3, 0\n ret"); }

static void looks(int number, siginfo_t *info, void *context)
{
    ucontext_t *interrupted = context;
    (void)info;
    uint64_t value = interrupted->uc_mcontext.__gregs[19];
    if (wants("frame"))
        sink = table[value & 255]; /* leak: frame */
    sink = table[number];
}

/* Its secret is in s3 while the handler of a signal runs. */
static uint64_t interrupted(int number)
{
    uint64_t value;
    register long process __asm__("a0") = getpid();
    register long thread __asm__("a1") = gettid();
    register long signal __asm__("a2") = number;
    __asm__ volatile("ld s3, 0(%4)\n li a7, 131\n ecall\n mv %0, s3"
                     : "=r"(value), "+r"(process) : "r"(thread), "r"(signal), "r"(key) : "s3", "a7", "memory");
    return value;
}

int main(int count, char **arguments)
{
    pthread_t other;
    struct sigaction action = {0};
    wanted = count > 1 ? arguments[1] : "";
    CIPHERMARK_SECRET(key, sizeof key);

    if (pthread_create(&other, 0, second, 0) != 0)
        return 2;
    /* What is public here stays so. */
    while (rounds == 0) {
        uint64_t index;
        __asm__ volatile("li s2, 7\n li a7, 124\n ecall\n mv %0, s2" : "=r"(index) : : "s2", "a0", "a7", "memory");
        sink = table[index];
    }
    pthread_join(other, 0);

    action.sa_handler = (void (*)(int))forgets;
    sigaction(SIGUSR1, &action, 0);
    uint64_t value = interrupted(SIGUSR1);
    if (wants("handler"))
        sink = table[value & 255]; /* leak: handler */

    action.sa_sigaction = looks;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGUSR2, &action, 0);
    sink = (uint8_t)interrupted(SIGUSR2);
    return 0;
}
