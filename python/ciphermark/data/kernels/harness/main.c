/* Runs the job: all known answers, and only if every one holds, the measurements. */

#include <stddef.h>

#include "cases.h"
#include "console.h"
#include "platform.h"
#include "report.h"
#include "stack.h"
#include "vector.h"

extern const struct job ciphermark_job;
extern const uint32_t ciphermark_entry_count;

void *memcpy(void *restrict to, const void *restrict from, size_t bytes);

/* `m index instructions cycles stack digest`; a failure here is the kernel's manners, as for known answers. */
static void run_request(const struct job *job, const struct job_case *c, uint32_t index)
{
    struct buffers b = place(job, c, VARIANT_PLAIN, takes_state(c));
    const uint8_t *chain = payload(c) + padded(c->key_bytes);
    struct digest digest = {0, 0};
    int failure;

    fill_output(job, c);
    memcpy(b.key, payload(c), c->key_bytes);
    generate(b.in, c->data_bytes, c->seed);
    if ((failure = call_checked(job, c, c->setup, &b)) >= 0)
        report_failure(index, VARIANT_PLAIN, failure);

    struct kernel_call timed = prepare(job, c, c->call, &b);
    paint_kernel_stack();
    for (uint32_t i = 0; i < c->warmups; i++) {
        memcpy(b.chain, chain, c->chain_bytes);
        checked_call(&timed);
    }
    memcpy(b.chain, chain, c->chain_bytes);
    measure_call(&timed);
    uint32_t stack = kernel_stack_used();

    if ((failure = call_checked(job, c, c->check, &b)) >= 0)
        report_failure(index, VARIANT_PLAIN, failure);
    digest_bytes(&digest, b.out, c->out_bytes);
    digest_bytes(&digest, b.chain, c->chain_bytes);
    line_begin('m');
    line_number(index);
    line_number(timed.instructions);
    line_number(timed.cycles);
    line_number(stack);
    line_number(digest.sum);
    line_number(digest.sum_of_sums);
    line_end();
}

/* `e instructions cycles`: the first passage through the timed region, of a function that is only `ret`. */
static void calibrate(void)
{
    struct kernel_call empty = {.function = (uintptr_t)empty_function, .stack = kernel_stack_end()};
    measure_call(&empty);
    line_begin('e');
    line_number(empty.instructions);
    line_number(empty.cycles);
    line_end();
}

/* Code made for another VLEN need not trap: it may compute something else, or the same in other counts. */
static void check_vlen(uint32_t expected)
{
    if (!expected)
        return;
    uint32_t actual = vector_bits();
    if (actual == expected)
        return;
    line_begin('w');
    line_number(expected);
    line_number(actual);
    line_end();
    platform_exit(EXIT_WRONG_VLEN);
}

int main(void)
{
    const struct job *job = &ciphermark_job;
    line_begin('h');
    line_number(JOB_VERSION);
    line_number(__riscv_xlen);
    line_number(ciphermark_entry_count);
    line_end();
    if (job->magic != JOB_MAGIC || job->version != JOB_VERSION)
        return EXIT_BAD_JOB;
    check_vlen(job->vlen);
    calibrate();

    const struct job_case *c = run_vectors(job);
    for (uint32_t i = 0; i < job->requests; i++, c = next_case(c)) {
        report_phase(PHASE_REQUESTS, i);
        run_request(job, c, i);
    }
    line_begin('q');
    line_number(job->requests);
    line_end();
    return EXIT_DONE;
}
