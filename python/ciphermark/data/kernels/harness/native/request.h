/* One request: calls whose output is checked, then timed samples. */
#ifndef CIPHERMARK_REQUEST_H
#define CIPHERMARK_REQUEST_H

#include "../job.h"

struct sampling {
    long samples;   /* 0: only the first call */
    long calls;     /* in a sample; 0: calibrated, unless the request says */
    long budget_ms; /* after which no sample begins once MIN_SAMPLES are there; 0: none */
};

#define MIN_SAMPLES 3

/*
 * `o index variant digest` for every way its buffers may lie (cases.h). With samples then, from a process of its own:
 * `c scope errno`       what cycles and instructions count (counters.h); if nothing, why
 * `k additions ns`      the clock's rate (clock.h), before and again after the samples
 * `s index calls wall cpu user system waited cycles instructions`   a sample, of `calls` calls; times in ns, `waited`
 *                       for a processor that others held; `-`: absent
 * `p index salt turn digest`   after each sample: if the request says how many calls, of what they left; else of one more
 *                       call, on the first or second of the two inputs that calls alternate
 * `e index ...`         a sample of as many calls of a function that only returns: what the harness has of a sample
 * `a digest`            of all lines of that process
 */
void run_request(const struct job *job, const struct job_case *c, uint32_t index, const struct sampling *sampling);

#endif
