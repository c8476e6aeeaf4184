#include "buffers.h"

#include <stddef.h>

#include "platform.h"

#define FILL 0xa5
#define UNALIGNED_IN 1
#define UNALIGNED_OUT 3

void *memset(void *to, int value, size_t bytes);

static uint8_t key_buffer[MAX_KEY_BYTES + KEY_WINDOW + 8] __attribute__((aligned(64)));
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
    return ((largest + 63) & ~63u) + 2 * GUARD_BYTES + c->window;
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

void fill_buffers(const struct job *job, const struct job_case *c, const struct buffers *b)
{
    memset(in_region(job), FILL, 2 * region_bytes(c));
    memset(b->schedule + job->schedule_bytes, FILL, GUARD_BYTES);
}

/* Words while both ends are aligned as words: every call has its guards looked at. */
static int filled(const uint8_t *begin, const uint8_t *end)
{
    typedef uint32_t __attribute__((may_alias)) word;
    if ((((uintptr_t)begin | (uintptr_t)end) & 3) == 0) {
        for (; begin < end; begin += 4) {
            if (*(const word *)begin != FILL * 0x01010101u)
                return 0;
        }
    }
    while (begin < end) {
        if (*begin++ != FILL)
            return 0;
    }
    return 1;
}

int guards_intact(const struct job *job, const struct job_case *c, const struct buffers *b)
{
    const uint8_t *in = in_region(job), *out = out_region(job, c), *end = out + region_bytes(c);
    const uint8_t *schedule_end = b->schedule + job->schedule_bytes;
    const uint8_t *in_end = b->in == b->out ? in : b->in + c->data_bytes + c->window;
    return (b->in == b->out || filled(in, b->in)) && filled(in_end, out) && filled(out, b->out) &&
           filled(b->out + c->out_bytes, end) && filled(schedule_end, schedule_end + GUARD_BYTES);
}

/* No product, for which a base ISA has no instruction. */
uint32_t seed_of(const struct job_case *c, uint32_t salt)
{
    uint32_t seed = c->seed + (salt << 16) + (salt << 3) + salt;
    return seed ? seed : 1;
}

static uint32_t xorshift(uint32_t x)
{
    x ^= x << 13;
    x ^= x >> 17;
    return x ^ x << 5;
}

void generate(uint8_t *out, uint32_t bytes, uint32_t seed)
{
    for (; bytes >= 4; bytes -= 4, out += 4) {
        seed = xorshift(seed);
        out[0] = (uint8_t)seed;
        out[1] = (uint8_t)(seed >> 8);
        out[2] = (uint8_t)(seed >> 16);
        out[3] = (uint8_t)(seed >> 24);
    }
    for (seed = xorshift(seed); bytes; bytes--, seed >>= 8)
        *out++ = (uint8_t)seed;
}

int is_generated(const uint8_t *bytes, uint32_t count, uint32_t seed)
{
    for (; count >= 4; count -= 4, bytes += 4) {
        seed = xorshift(seed);
        if (((uint32_t)bytes[3] << 24 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[1] << 8 | bytes[0]) != seed)
            return 0;
    }
    for (seed = xorshift(seed); count; count--, seed >>= 8) {
        if (*bytes++ != (uint8_t)seed)
            return 0;
    }
    return 1;
}
