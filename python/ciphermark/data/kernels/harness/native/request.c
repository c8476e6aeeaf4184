#define _GNU_SOURCE
#include "request.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../cases.h"
#include "../console.h"
#include "../native.h"
#include "../platform.h"
#include "../report.h"
#include "calling.h"
#include "clock.h"
#include "confinement.h"
#include "counters.h"
#include "numbers.h"

/* A sample lasts this many times what the clock can tell, and no less than LEAST_NS. */
#define RESOLUTIONS 1000u
/* Short enough that the scheduler leaves most samples alone on a busy machine. */
#define LEAST_NS 200000u
#define WARM_UP_NS 10000000u

struct moment {
    uint64_t wall, cpu, user, system, waited;
    struct counts counts;
};

static uint64_t nanoseconds(struct timeval t)
{
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

static void usage(struct moment *m)
{
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    m->user = nanoseconds(r.ru_utime);
    m->system = nanoseconds(r.ru_stime);
    m->cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    m->waited = waited_ns();
}

/* Wall time is read innermost, so that it holds nothing of the other readings. */
static void begin(struct moment *m)
{
    usage(m);
    read_counters(&m->counts);
    m->wall = clock_ns(CLOCK_MONOTONIC);
}

static void end(struct moment *m)
{
    m->wall = clock_ns(CLOCK_MONOTONIC);
    read_counters(&m->counts);
    usage(m);
}

static void report_sample(char kind, uint32_t index, uint64_t calls, const struct moment *from,
                          const struct moment *to)
{
    struct counts counts = counted(&from->counts, &to->counts);
    line_begin(kind);
    line_number(index);
    line_number(calls);
    line_number(to->wall - from->wall);
    line_number(to->cpu - from->cpu);
    line_number(to->user - from->user);
    line_number(to->system - from->system);
    line_optional(from->waited == ABSENT || to->waited == ABSENT ? ABSENT : to->waited - from->waited);
    line_optional(counts.cycles);
    line_optional(counts.instructions);
    line_end();
}

static void report_digest(char kind, uint32_t index, const struct job_case *c, const struct buffers *b)
{
    struct digest digest = {0, 0};
    digest_bytes(&digest, b->out, c->out_bytes);
    digest_bytes(&digest, b->chain, c->chain_bytes);
    line_begin(kind);
    line_number(index);
    line_number(digest.sum);
    line_number(digest.sum_of_sums);
    line_end();
}

/* Calls that last long enough to be timed, by the fastest of the warm-up's trials: interruptions only lengthen one. */
static uint64_t calibrate(const struct kernel_call *call)
{
    uint64_t wanted = RESOLUTIONS * clock_resolution_ns();
    uint64_t start = clock_ns(CLOCK_MONOTONIC), calls = 1;
    double fastest = 1e18;
    if (wanted < LEAST_NS)
        wanted = LEAST_NS;
    for (;;) {
        uint64_t from = clock_ns(CLOCK_MONOTONIC);
        call_times(call, calls);
        uint64_t to = clock_ns(CLOCK_MONOTONIC);
        double each = (double)(to - from ? to - from : 1) / (double)calls;
        if (each < fastest)
            fastest = each;
        int enough = fastest * (double)calls >= (double)wanted || calls > 1u << 30;
        if (enough && to - start >= WARM_UP_NS)
            return (uint64_t)((double)wanted / fastest) + 1;
        if (!enough)
            calls *= 2;
    }
}

static void nothing(void)
{
}

static void sample(char kind, uint32_t index, const struct kernel_call *call, uint64_t calls,
                   const struct sampling *sampling)
{
    uint64_t start = clock_ns(CLOCK_MONOTONIC);
    for (long i = 0; i < sampling->samples; i++) {
        struct moment from, to;
        if (sampling->budget_ms && i >= MIN_SAMPLES &&
            clock_ns(CLOCK_MONOTONIC) - start > (uint64_t)sampling->budget_ms * 1000000u)
            break;
        begin(&from);
        call_times(call, calls);
        end(&to);
        report_sample(kind, index, calls, &from, &to);
    }
}

/* Behind the samples, where nothing of it can disturb them, but in the same process and as many calls. */
static void sample_with_empty(uint32_t index, const struct kernel_call *call, const struct job_case *c,
                              const struct sampling *sampling)
{
    uint64_t calls = c->calls ? c->calls : (uint64_t)sampling->calls;
    if (!calls)
        calls = calibrate(call);
    sample('s', index, call, calls, sampling);

    struct kernel_call empty = *call;
    empty.function = (uintptr_t)nothing;
    sample('e', index, &empty, calls, sampling);
}

static void restart(const struct job_case *c, const struct buffers *b)
{
    memcpy(b->chain, payload(c) + padded(c->key_bytes), c->chain_bytes);
}

static void checked(const struct job *job, const struct job_case *c, struct job_call call, const struct buffers *b,
                    uint32_t index)
{
    int failure = call_checked(job, c, call, b);
    if (failure >= 0)
        report_failure(index, VARIANT_PLAIN, failure);
}

/* What is timed, in a process that has done nothing else. */
static void sample_all(const struct job *job, const struct job_case *c, uint32_t index, const struct buffers *b,
                       const struct sampling *sampling)
{
    struct kernel_call timed = prepare(job, c, c->call, b);
    open_wait_account();
    int refused;
    line_begin('c');
    line_number(open_counters(&refused));
    line_number((uintptr_t)refused);
    line_end();
    if (c->calls) {
        /* One sample's calls from the iv on, untimed: they warm up, and their outcome can be checked. */
        restart(c, b);
        call_times(&timed, c->calls);
        report_digest('z', index, c, b);
    }
    report_clock_rate();
    sample_with_empty(index, &timed, c, sampling);
    report_clock_rate();
    report_memory();
}

/*
 * The system divides processor time into its own and the process's by what it saw at its few ticks since the process
 * began. In a child of its own that is what is timed, not the start of a program and its known answers.
 */
static void sample_apart(const struct job *job, const struct job_case *c, uint32_t index, const struct buffers *b,
                         const struct sampling *sampling)
{
    unsigned left = alarm(0);
    int status;
    pid_t child = fork();
    if (child < 0)
        ciphermark_fail("no process for the samples: %m");
    alarm(left);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        sample_all(job, c, index, b, sampling);
        platform_exit(EXIT_DONE);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status)) {
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
    }
    if (WEXITSTATUS(status) != EXIT_DONE)
        platform_exit((uint32_t)WEXITSTATUS(status));
}

void run_request(const struct job *job, const struct job_case *c, uint32_t index, const struct sampling *sampling)
{
    struct buffers b = place(job, c, VARIANT_PLAIN, takes_state(c));
    fill_output(job, c);
    memcpy(b.key, payload(c), c->key_bytes);
    restart(c, &b);
    generate(b.in, c->data_bytes, c->seed);
    checked(job, c, c->setup, &b, index);
    checked(job, c, c->call, &b, index);
    checked(job, c, c->check, &b, index);
    report_digest('o', index, c, &b);
    if (!sampling->samples)
        return;

    sample_apart(job, c, index, &b, sampling);
}
