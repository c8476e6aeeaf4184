/* The job's cases: what each calls with what, and known answers from first to last. */
#ifndef CIPHERMARK_CASES_H
#define CIPHERMARK_CASES_H

#include <stdint.h>

#include "buffers.h"
#include "job.h"
#include "measure.h"

/* The call of an entry with the arguments its roles ask for. Ends the run if there is no such entry. */
struct kernel_call prepare(const struct job *job, const struct job_case *c, struct job_call call,
                           const struct buffers *b);

/* Whether the case chains through words, which stay aligned. */
int takes_state(const struct job_case *c);

/* A call whose manners are looked at; `-1`, or the failure. No entry is no call. */
int call_checked(const struct job *job, const struct job_case *c, struct job_call call, const struct buffers *b);

/* What a call did to registers and stack: `-1`, or the failure. */
int breach(enum abi_breach breach);

/* Every known answer in every variant, then `v count`; the first that fails ends the run. Returns what follows them. */
const struct job_case *run_vectors(const struct job *job);

/* A measurement's call, untimed or timed, and the data it is made on. */
struct attempt {
    const struct job *job;
    const struct job_case *c;
    uint32_t index;
    enum variant variant;
    uint32_t salt; /* of the data */
    struct buffers b;
};

/*
 * Key, iv and schedule, then the input: made after the schedule, so that no set-up can work on it beforehand. Where the
 * key expansion is what is measured, its use is what needs input, and gets it in finish_attempt.
 */
struct attempt begin_attempt(const struct job *job, const struct job_case *c, uint32_t index, enum variant variant,
                             uint32_t salt);

/* The iv, counter or state as it was before the first call. */
void restart_chain(const struct attempt *attempt);

/*
 * After the call, of which `failure` says how it misbehaved, or -1: uses the schedule if that was measured, and looks at
 * guards, input and key. The run ends if anything is wrong.
 */
void finish_attempt(const struct attempt *attempt, int failure);

/* ` digest` of output and chaining value, as part of a line. */
void print_digest(const struct attempt *attempt);

/* Every variant once, untimed, each on data of its own: `o index variant digest`. */
void exercise(const struct job *job, const struct job_case *c, uint32_t index);

#endif
