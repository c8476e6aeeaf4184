/*
 * The harness as a process: verifies as the bare-metal one does, then times.
 *
 *   program JOB [--samples N] [--request I] [--calls N] [--budget-ms N] [--cpu N] [--deadline S] [--memory-mib N]
 *
 * Without --samples nothing is timed: known answers, then calls of every request with the digests of their output.
 */

#include <stdlib.h>
#include <string.h>

#include "../cases.h"
#include "../console.h"
#include "../job.h"
#include "../native.h"
#include "../platform.h"
#include "../report.h"
#include "confinement.h"
#include "job_file.h"
#include "request.h"
#include "text.h"

extern const uint32_t ciphermark_entry_count;

struct arguments {
    const char *job;
    struct confinement confinement;
    struct sampling sampling;
    long request; /* -1: every one */
};

static struct arguments parse(int count, char **words)
{
    struct arguments a = {.request = -1, .confinement = {.cpu = -1}};
    struct {
        const char *name;
        long *value;
    } options[] = {
        {"--samples", &a.sampling.samples},       {"--request", &a.request},
        {"--calls", &a.sampling.calls},           {"--budget-ms", &a.sampling.budget_ms},
        {"--cpu", &a.confinement.cpu},            {"--deadline", &a.confinement.deadline_s},
        {"--memory-mib", &a.confinement.memory_mib},
    };
    if (count < 2)
        ciphermark_fail("usage: %s JOB [--samples N] ...", words[0]);
    a.job = words[1];
    for (int i = 2; i < count; i += 2) {
        long *value = NULL;
        for (size_t o = 0; o < sizeof options / sizeof *options; o++) {
            if (!strcmp(words[i], options[o].name))
                value = options[o].value;
        }
        if (!value || i + 1 == count)
            ciphermark_fail("argument %s is unknown or has no value", words[i]);
        *value = strtol(words[i + 1], NULL, 10);
    }
    return a;
}

/* An implementation that cannot run here says so before anything is asked of it. */
static void introduce(void)
{
    const char *reason = ciphermark_unavailable ? ciphermark_unavailable() : NULL;
    if (reason) {
        text_line("unavailable", reason);
        platform_exit(EXIT_UNAVAILABLE);
    }
    if (ciphermark_described)
        text_line("described", ciphermark_described());
    const char *driver;
    for (unsigned number = 0; ciphermark_driver && (driver = ciphermark_driver(number)); number++)
        text_line("driver", driver);
}

int main(int count, char **words)
{
    struct arguments a = parse(count, words);
    const struct job *job = load_job(a.job);
    console_begin(job->nonce);
    line_begin('h');
    line_number(JOB_VERSION);
    line_number(8 * sizeof(void *));
    line_number(ciphermark_entry_count);
    line_end();
    confine(&a.confinement);
    introduce();

    const struct job_case *c = run_vectors(job);
    uint32_t done = 0;
    for (uint32_t i = 0; i < job->requests; i++, c = next_case(c)) {
        if (a.request >= 0 && (uint32_t)a.request != i)
            continue;
        report_phase(PHASE_REQUESTS, i);
        run_request(job, c, i, &a.sampling);
        done++;
    }
    report_memory();
    line_begin('q');
    line_number(done);
    line_end_transcript();
    return EXIT_DONE;
}
