#include "buffers.h"

#include <stddef.h>

#include "platform.h"

#define FILL 0xa5
#define UNALIGNED_IN 1
#define UNALIGNED_OUT 3

void *memset(void *to, int value, size_t bytes);

static uint8_t key_buffer[MAX_KEY_BYTES + 8] __attribute__((aligned(64)));
static uint8_t chain_buffer[MAX_CHAIN_BYTES + 8] __attribute__((aligned(64)));

const struct job_case *first_case(const struct job *job)
{
    return (const struct job_case *)(job + 1);
}

const struct job_case *next_case(const struct job_case *record)
{
    return (const struct job_case *)((const uint8_t *)record + record->record_bytes);
}

const uint8_t *payload(const struct job_case *record)
{
    return (const uint8_t *)(record + 1);
}

uint32_t padded(uint32_t bytes)
{
    return (bytes + 3) & ~3u;
}

static uint32_t region_bytes(const struct job_case *c)
{
    uint32_t largest = c->data_bytes > c->out_bytes ? c->data_bytes : c->out_bytes;
    return ((largest + 63) & ~63u) + 2 * GUARD_BYTES;
}

static uint8_t *in_region(const struct job *job)
{
    return (uint8_t *)(((uintptr_t)job + job->job_bytes + 63) & ~(uintptr_t)63);
}

static uint8_t *out_region(const struct job *job, const struct job_case *c)
{
    return in_region(job) + region_bytes(c);
}

struct buffers place(const struct job *job, const struct job_case *c, enum variant variant, int state)
{
    int unaligned = variant == VARIANT_UNALIGNED || variant == VARIANT_UNALIGNED_IN_PLACE;
    int in_place = variant == VARIANT_IN_PLACE || variant == VARIANT_UNALIGNED_IN_PLACE;
    struct buffers b;
    b.out = out_region(job, c) + GUARD_BYTES + (unaligned ? UNALIGNED_OUT : 0);
    b.in = in_place ? b.out : in_region(job) + GUARD_BYTES + (unaligned ? UNALIGNED_IN : 0);
    b.key = key_buffer + (unaligned ? UNALIGNED_IN : 0);
    b.chain = chain_buffer + (unaligned && !state ? UNALIGNED_OUT : 0);
    b.schedule = platform_schedule(out_region(job, c) + region_bytes(c));
    return b;
}

void fill_output(const struct job *job, const struct job_case *c)
{
    memset(out_region(job, c), FILL, region_bytes(c));
}

int output_guards_intact(const struct job *job, const struct job_case *c, const struct buffers *b)
{
    const uint8_t *begin = out_region(job, c);
    const uint8_t *end = begin + region_bytes(c);
    for (const uint8_t *p = begin; p < b->out; p++) {
        if (*p != FILL)
            return 0;
    }
    for (const uint8_t *p = b->out + c->out_bytes; p < end; p++) {
        if (*p != FILL)
            return 0;
    }
    return 1;
}

void generate(uint8_t *out, uint32_t bytes, uint32_t seed)
{
    uint32_t x = seed;
    for (uint32_t i = 0; i < bytes; i++) {
        if ((i & 3) == 0) {
            x ^= x << 13;
            x ^= x >> 17;
            x ^= x << 5;
        }
        out[i] = (uint8_t)(x >> (8 * (i & 3)));
    }
}

void digest_bytes(struct digest *digest, const uint8_t *bytes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i += 4) {
        uint32_t word = 0;
        for (uint32_t j = 0; j < 4 && i + j < count; j++)
            word |= (uint32_t)bytes[i + j] << (8 * j);
        digest->sum += word;
        digest->sum_of_sums += digest->sum;
    }
}
