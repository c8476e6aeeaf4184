/* One request: a first call whose output is checked, then timed samples. */
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
 * `o index sum sum_of_sums`: the digest of the first call's output and chaining value. With samples then:
 * `k additions ns`      the clock's rate (clock.h), before and again after the samples
 * `c scope errno`       what cycles and instructions count (counters.h); if nothing, why
 * `s index calls wall cpu user system waited cycles instructions`   a sample, of `calls` calls; times in ns, `waited`
 *                       for a processor that others held; `-`: absent
 * `e index ...`         the same of as many calls of a function that only returns: what the harness has of a sample
 * `z index sum sum_of_sums`   if the request says how many calls: the digest after one sample's calls
 */
void run_request(const struct job *job, const struct job_case *c, uint32_t index, const struct sampling *sampling);

#endif
