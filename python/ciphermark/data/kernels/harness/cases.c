#include "cases.h"

#include <stddef.h>

#include "console.h"
#include "platform.h"
#include "report.h"
#include "stack.h"
#include "vector.h"

/* Made by Python from the family's and the implementation's manifests. */
extern const uintptr_t ciphermark_entries[];
extern const uint32_t ciphermark_entry_count;

void *memcpy(void *restrict to, const void *restrict from, size_t bytes);
int memcmp(const void *left, const void *right, size_t bytes);

struct kernel_call prepare(const struct job *job, const struct job_case *c, struct job_call call,
                           const struct buffers *b)
{
    struct kernel_call k = {.stack = kernel_stack_end()};
    if (call.entry >= ciphermark_entry_count)
        platform_exit(EXIT_BAD_JOB);
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
    if (job->vlen)
        spoil_vector_state();
    return k;
}

int takes_state(const struct job_case *c)
{
    for (int i = 0; i < 8; i++) {
        if ((c->call.roles >> (4 * i) & 15) == ROLE_STATE)
            return 1;
    }
    return 0;
}

int call_checked(const struct job *job, const struct job_case *c, struct job_call call, const struct buffers *b)
{
    if (call.entry == NO_ENTRY)
        return -1;
    struct kernel_call k = prepare(job, c, call, b);
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
    failure = call_checked(job, c, c->setup, &b);
    if (failure < 0)
        failure = call_checked(job, c, c->call, &b);
    if (failure >= 0)
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

const struct job_case *run_vectors(const struct job *job)
{
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
    return c;
}
