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

/* Calls that last long enough to be timed, by the fastest of the warm-up's trials: interruptions only lengthen one. */
static uint64_t calibrate(struct kernel_call *call)
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

static int enough(long sample, uint64_t start, const struct sampling *sampling)
{
    return sample >= sampling->samples ||
           (sampling->budget_ms && sample >= MIN_SAMPLES &&
            clock_ns(CLOCK_MONOTONIC) - start > (uint64_t)sampling->budget_ms * 1000000u);
}

static void time_calls(char kind, uint32_t index, struct kernel_call *call, uint64_t calls)
{
    struct moment from, to;
    begin(&from);
    call_times(call, calls);
    end(&to);
    report_sample(kind, index, calls, &from, &to);
}

/* `p index salt turn digest`: what a sample's calls left where their number is the request's, else what one more call does. */
static void prove(const struct attempt *a, struct kernel_call *call)
{
    uint32_t turn = call->turn;
    if (!a->c->calls) {
        restart_chain(a);
        memset(a->b.out, 0, a->c->out_bytes);
        call_times(call, 1);
    }
    finish_attempt(a, -1);
    line_begin('p');
    line_number(a->index);
    line_number(a->salt);
    line_number(turn);
    print_digest(a);
    line_end();
}

/* Each sample has a key and data of its own, made and checked outside of what is timed. */
static void sample(const struct job *job, const struct job_case *c, uint32_t index, uint64_t calls,
                   const struct sampling *sampling)
{
    uint64_t start = clock_ns(CLOCK_MONOTONIC);
    for (long i = 0; !enough(i, start, sampling); i++) {
        struct attempt a = begin_attempt(job, c, index, VARIANT_PLAIN, SALT_SAMPLES + (uint32_t)i);
        struct kernel_call call = prepare(job, c, c->call, &a.b);
        time_calls('s', index, &call, calls);
        prove(&a, &call);
    }
}

static void sample_empty(uint32_t index, struct kernel_call call, uint64_t calls, const struct sampling *sampling)
{
    uint64_t start = clock_ns(CLOCK_MONOTONIC);
    call.function = (uintptr_t)nothing;
    for (long i = 0; !enough(i, start, sampling); i++)
        time_calls('n', index, &call, calls);
}

/* What is timed, in a process that has done nothing else. */
static void sample_all(const struct job *job, const struct job_case *c, uint32_t index,
                       const struct sampling *sampling)
{
    struct attempt a = begin_attempt(job, c, index, VARIANT_PLAIN, SALT_TIMED);
    struct kernel_call call = prepare(job, c, c->call, &a.b);
    open_wait_account();
    int refused;
    line_begin('c');
    line_number(open_counters(&refused));
    line_number((uintptr_t)refused);
    line_end();
    uint64_t calls = c->calls ? c->calls : (uint64_t)sampling->calls;
    if (c->calls)
        call_times(&call, calls); /* to warm up, as calibrating does */
    report_clock_rate();
    if (!calls)
        calls = calibrate(&call);
    sample(job, c, index, calls, sampling);
    /* Behind the samples, where nothing of it can disturb them, but in the same process and as many calls. */
    sample_empty(index, call, calls, sampling);
    report_clock_rate();
    report_memory();
}

/*
 * The system divides processor time into its own and the process's by what it saw at its few ticks since the process
 * began. In a child of its own that is what is timed, not the start of a program and its known answers.
 */
static void sample_apart(const struct job *job, const struct job_case *c, uint32_t index,
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
        console_begin(job->nonce);
        sample_all(job, c, index, sampling);
        line_begin('a');
        line_end_transcript();
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
    exercise(job, c, index);
    if (sampling->samples)
        sample_apart(job, c, index, sampling);
}
