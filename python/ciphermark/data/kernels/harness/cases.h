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

/* Every known answer in every variant, then `v count`; the first that fails ends the run. Returns what follows them. */
const struct job_case *run_vectors(const struct job *job);

#endif
