#define _GNU_SOURCE
#include "confinement.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../console.h"
#include "../native.h"
#include "../report.h"
#include "numbers.h"

/* Endless output, where it goes to a file, must not fill a disk. */
#define LONGEST_CONSOLE (64u << 20)

static void limit(int resource, rlim_t value)
{
    struct rlimit bound = {value, value};
    setrlimit(resource, &bound);
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    (void)context;
    report_trap((uintptr_t)number, (uintptr_t)(uint32_t)info->si_code,
                number == SIGALRM || number == SIGXCPU ? 0 : (uintptr_t)info->si_addr);
}

static void report_signals(void)
{
    static uint8_t own_stack[65536];
    static const int reported[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGALRM, SIGXCPU};
    stack_t stack = {.ss_sp = own_stack, .ss_size = sizeof own_stack};
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND};
    sigaltstack(&stack, NULL);
    for (size_t i = 0; i < sizeof reported / sizeof *reported; i++)
        sigaction(reported[i], &action, NULL);
    /* A write to a pipe or socket that nobody reads fails instead, so that it can be reported by name. */
    signal(SIGPIPE, SIG_IGN);
}

static uint64_t status_kib(const char *key)
{
    char text[4096];
    int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return ABSENT;
    ssize_t count = read(file, text, sizeof text - 1);
    close(file);
    if (count <= 0)
        return ABSENT;
    text[count] = 0;
    const char *at = strstr(text, key);
    return at ? strtoull(at + strlen(key), NULL, 10) : ABSENT;
}

static void limit_memory(long memory_mib)
{
    uint64_t used = status_kib("VmSize:");
    if (memory_mib > 0 && used != ABSENT)
        limit(RLIMIT_AS, (rlim_t)(used * 1024) + ((rlim_t)memory_mib << 20));
}

static void stay_on(long cpu)
{
    cpu_set_t only;
    if (cpu < 0)
        return;
    CPU_ZERO(&only);
    CPU_SET((size_t)cpu, &only);
    if (sched_setaffinity(0, sizeof only, &only) != 0)
        ciphermark_fail("cannot stay on CPU %ld: %m", cpu);
}

void confine(const struct confinement *confinement)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    report_signals();
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, LONGEST_CONSOLE);
    limit_memory(confinement->memory_mib);
    stay_on(confinement->cpu);
    if (confinement->deadline_s > 0) {
        limit(RLIMIT_CPU, (rlim_t)confinement->deadline_s + 1);
        alarm((unsigned)confinement->deadline_s);
    }
}

void report_memory(void)
{
    line_begin('r');
    line_optional(status_kib("VmHWM:"));
    line_end();
}
