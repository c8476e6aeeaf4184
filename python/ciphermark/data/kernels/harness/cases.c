#include "cases.h"

#include <stddef.h>

#include "blake2s.h"
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

/* Of a key expansion the key is what must not be that of the call before. */
static uint32_t key_window(const struct job_case *c)
{
    return c->window ? KEY_WINDOW : 0;
}

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
        case ROLE_IN:
            k.arguments[i] = (uintptr_t)b->in;
            k.varying = (uint32_t)i;
            k.window = c->window;
            break;
        case ROLE_BYTES: k.arguments[i] = c->data_bytes; break;
        case ROLE_IV:
        case ROLE_STATE: k.arguments[i] = (uintptr_t)b->chain; break;
        case ROLE_KEY:
            k.arguments[i] = (uintptr_t)b->key;
            if (k.window == 0) {
                k.varying = (uint32_t)i;
                k.window = key_window(c);
            }
            break;
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
    return breach(checked_call(&k));
}

int breach(enum abi_breach breach)
{
    switch (breach) {
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

    fill_buffers(job, c, &b);
    memcpy(b.key, key, c->key_bytes);
    memcpy(b.chain, chain, c->chain_bytes);
    failure = call_checked(job, c, c->setup, &b);
    memcpy(b.in, data, c->data_bytes);
    if (failure < 0)
        failure = call_checked(job, c, c->call, &b);
    if (failure >= 0)
        report_failure(index, variant, failure);
    if (memcmp(b.out, expected, c->out_bytes))
        report_difference(index, variant, FAILURE_OUTPUT, expected, b.out, c->out_bytes);
    if (memcmp(b.chain, expected_chain, c->chain_bytes))
        report_difference(index, variant, FAILURE_CHAIN, expected_chain, b.chain, c->chain_bytes);
    if (!guards_intact(job, c, &b))
        report_failure(index, variant, FAILURE_OVERRUN);
    if (b.in != b.out && memcmp(b.in, data, c->data_bytes))
        report_failure(index, variant, FAILURE_INPUT_CHANGED);
    if (memcmp(b.key, key, c->key_bytes))
        report_failure(index, variant, FAILURE_KEY_CHANGED);
}

const struct job_case *run_vectors(const struct job *job)
{
    const struct job_case *c = first_case(job);
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

static uint32_t key_seed(const struct attempt *a)
{
    return ~seed_of(a->c, a->salt);
}

/* The samples of a process have a key each, other calls that of the job. */
static int own_key(const struct attempt *a)
{
    return a->salt >= SALT_SAMPLES;
}

/* In place there is no room for a second window, and no need. */
static uint32_t input_bytes(const struct attempt *a)
{
    return a->c->data_bytes + (a->b.in == a->b.out ? 0 : a->c->window);
}

static void make_input(const struct attempt *a)
{
    generate(a->b.in, input_bytes(a), seed_of(a->c, a->salt));
}

struct attempt begin_attempt(const struct job *job, const struct job_case *c, uint32_t index, enum variant variant,
                             uint32_t salt)
{
    struct attempt a = {job, c, index, variant, salt, place(job, c, variant, takes_state(c))};
    int failure;
    fill_buffers(job, c, &a.b);
    if (own_key(&a))
        generate(a.b.key, c->key_bytes + key_window(c), key_seed(&a));
    else
        memcpy(a.b.key, payload(c), c->key_bytes);
    restart_chain(&a);
    if ((failure = call_checked(job, c, c->setup, &a.b)) >= 0)
        report_failure(index, variant, failure);
    if (c->check.entry == NO_ENTRY)
        make_input(&a);
    return a;
}

void restart_chain(const struct attempt *a)
{
    memcpy(a->b.chain, payload(a->c) + padded(a->c->key_bytes), a->c->chain_bytes);
}

static int input_intact(const struct attempt *a)
{
    return a->b.in == a->b.out || is_generated(a->b.in, input_bytes(a), seed_of(a->c, a->salt));
}

static int key_intact(const struct attempt *a)
{
    return own_key(a) ? is_generated(a->b.key, a->c->key_bytes + key_window(a->c), key_seed(a))
                      : !memcmp(a->b.key, payload(a->c), a->c->key_bytes);
}

void finish_attempt(const struct attempt *a, int failure)
{
    if (failure < 0 && a->c->check.entry != NO_ENTRY) {
        make_input(a);
        failure = call_checked(a->job, a->c, a->c->check, &a->b);
    }
    if (failure < 0 && !guards_intact(a->job, a->c, &a->b))
        failure = FAILURE_OVERRUN;
    if (failure < 0 && !input_intact(a))
        failure = FAILURE_INPUT_CHANGED;
    if (failure < 0 && !key_intact(a))
        failure = FAILURE_KEY_CHANGED;
    if (failure >= 0)
        report_failure(a->index, a->variant, failure);
}

void print_digest(const struct attempt *a)
{
    /* All start with the same key, which is a block of its own. */
    static struct blake2s keyed;
    struct blake2s hash;
    uint8_t digest[DIGEST_BYTES];
    if (!keyed.total) {
        blake2s_begin(&keyed, a->job->nonce);
        blake2s_settle(&keyed);
    }
    hash = keyed;
    /* Without anything after it the key is the last block. */
    if (a->c->out_bytes + a->c->chain_bytes == 0)
        blake2s_begin(&hash, a->job->nonce);
    blake2s_add(&hash, a->b.out, a->c->out_bytes);
    blake2s_add(&hash, a->b.chain, a->c->chain_bytes);
    blake2s_digest(&hash, digest);
    line_bytes(digest, sizeof digest);
}

void exercise(const struct job *job, const struct job_case *c, uint32_t index)
{
    for (uint32_t variant = VARIANT_PLAIN; variant <= VARIANT_UNALIGNED_IN_PLACE; variant <<= 1) {
        if (!(c->variants & variant))
            continue;
        struct attempt a = begin_attempt(job, c, index, variant, variant);
        finish_attempt(&a, call_checked(job, c, c->call, &a.b));
        line_begin('o');
        line_number(index);
        line_number(variant);
        print_digest(&a);
        line_end();
    }
}
