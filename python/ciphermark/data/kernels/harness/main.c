/* Runs the job: all known answers, and only if every one holds, the measurements. */

#include <stddef.h>

#include "buffers.h"
#include "console.h"
#include "htif.h"
#include "job.h"
#include "measure.h"
#include "report.h"
#include "stack.h"
#include "vector.h"

extern const struct job ciphermark_job;

/* Made by Python from the family's and the implementation's manifests. */
extern const uintptr_t ciphermark_entries[];
extern const uint32_t ciphermark_entry_count;

void *memcpy(void *restrict to, const void *restrict from, size_t bytes);
int memcmp(const void *left, const void *right, size_t bytes);

static struct kernel_call prepare(const struct job_case *c, struct job_call call, const struct buffers *b)
{
    struct kernel_call k = {.stack = kernel_stack_end()};
    if (call.entry >= ciphermark_entry_count)
        htif_exit(EXIT_BAD_JOB);
    k.function = ciphermark_entries[call.entry];
    for (int i = 0; i < 8; i++) {
        switch (call.roles >> (4 * i) & 15) {
        case ROLE_OUT: k.arguments[i] = (uintptr_t)b->out; break;
        case ROLE_IN: k.arguments[i] = (uintptr_t)b->in; break;
        case ROLE_BYTES: k.arguments[i] = c->data_bytes; break;
        case ROLE_IV:
        case ROLE_STATE: k.arguments[i] = (uintptr_t)b->chain; break;
        case ROLE_KEY: k.arguments[i] = (uintptr_t)b->key; break;
        case ROLE_SCHEDULE: k.arguments[i] = (uintptr_t)b->schedule; break;
        case ROLE_BLOCKS: k.arguments[i] = c->blocks; break;
        default: break;
        }
    }
    if (ciphermark_job.vlen)
        spoil_vector_state();
    return k;
}

static int takes_state(const struct job_case *c)
{
    for (int i = 0; i < 8; i++) {
        if ((c->call.roles >> (4 * i) & 15) == ROLE_STATE)
            return 1;
    }
    return 0;
}

/* A call whose manners are looked at; `-1`, or the failure. */
static int call_checked(const struct job_case *c, struct job_call call, const struct buffers *b)
{
    if (call.entry == NO_ENTRY)
        return -1;
    struct kernel_call k = prepare(c, call, b);
    switch (checked_call(&k)) {
    case ABI_SAVED_REGISTER: return FAILURE_SAVED_REGISTER;
    case ABI_STACK_POINTER: return FAILURE_STACK_POINTER;
    default: return stack_sentinel_intact() ? -1 : FAILURE_STACK_OVERFLOW;
    }
}

static void run_vector(const struct job *job, const struct job_case *c, uint32_t index, enum variant variant)
{
    struct buffers b = place(job, c, variant, takes_state(c));
    const uint8_t *key = payload(c);
    const uint8_t *chain = key + padded(c->key_bytes);
    const uint8_t *data = chain + padded(c->chain_bytes);
    const uint8_t *expected = data + padded(c->data_bytes);
    const uint8_t *expected_chain = expected + padded(c->out_bytes);
    int failure;

    fill_output(job, c);
    memcpy(b.key, key, c->key_bytes);
    memcpy(b.chain, chain, c->chain_bytes);
    memcpy(b.in, data, c->data_bytes);
    if ((failure = call_checked(c, c->setup, &b)) >= 0 || (failure = call_checked(c, c->call, &b)) >= 0)
        report_failure(index, variant, failure);
    if (memcmp(b.out, expected, c->out_bytes))
        report_difference(index, variant, FAILURE_OUTPUT, expected, b.out, c->out_bytes);
    if (memcmp(b.chain, expected_chain, c->chain_bytes))
        report_difference(index, variant, FAILURE_CHAIN, expected_chain, b.chain, c->chain_bytes);
    if (!output_guards_intact(job, c, &b))
        report_failure(index, variant, FAILURE_OVERRUN);
    if (b.in != b.out && memcmp(b.in, data, c->data_bytes))
        report_failure(index, variant, FAILURE_INPUT_CHANGED);
    if (memcmp(b.key, key, c->key_bytes))
        report_failure(index, variant, FAILURE_KEY_CHANGED);
}

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
    if ((failure = call_checked(c, c->setup, &b)) >= 0)
        report_failure(index, VARIANT_PLAIN, failure);

    struct kernel_call timed = prepare(c, c->call, &b);
    paint_kernel_stack();
    for (uint32_t i = 0; i < c->warmups; i++) {
        memcpy(b.chain, chain, c->chain_bytes);
        checked_call(&timed);
    }
    memcpy(b.chain, chain, c->chain_bytes);
    measure_call(&timed);
    uint32_t stack = kernel_stack_used();

    if ((failure = call_checked(c, c->check, &b)) >= 0)
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
    htif_exit(EXIT_WRONG_VLEN);
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

    const struct job_case *c = first_case(job);
    arm_stack_sentinel();
    for (uint32_t i = 0; i < job->vectors; i++, c = next_case(c)) {
        report_phase(PHASE_VECTORS, i);
        for (uint32_t variant = VARIANT_PLAIN; variant <= VARIANT_UNALIGNED_IN_PLACE; variant <<= 1) {
            if (c->variants & variant)
                run_vector(job, c, i, variant);
        }
    }
    line_begin('v');
    line_number(job->vectors);
    line_end();

    for (uint32_t i = 0; i < job->requests; i++, c = next_case(c)) {
        report_phase(PHASE_REQUESTS, i);
        run_request(job, c, i);
    }
    line_begin('q');
    line_number(job->requests);
    line_end();
    return EXIT_DONE;
}
