/* Where a case's data lies: static for what is small, after the job in RAM for input, output and schedule. */
#ifndef CIPHERMARK_BUFFERS_H
#define CIPHERMARK_BUFFERS_H

#include <stdint.h>

#include "job.h"

#define GUARD_BYTES 64u
#define MAX_KEY_BYTES 64u
#define MAX_CHAIN_BYTES 64u
/* Between the two keys that timed key expansions in a process alternate. */
#define KEY_WINDOW 16u

/* The pointers a call is given, and the same memory as the harness wants it back. */
struct buffers {
    uint8_t *in;
    uint8_t *out; /* equals `in` in place; at least GUARD_BYTES on either side of both are the harness's */
    uint8_t *key;
    uint8_t *chain;
    uint8_t *schedule; /* 64-byte aligned; GUARD_BYTES follow it */
};

/* The first case, past the header. */
const struct job_case *first_case(const struct job *job);
const struct job_case *next_case(const struct job_case *record);

/* The byte string that follows `bytes` others behind a record; each is padded to words. */
const uint8_t *payload(const struct job_case *record);
uint32_t padded(uint32_t bytes);

/* Pointers for one variant; `state` says that the chain is words and stays aligned. */
struct buffers place(const struct job *job, const struct job_case *c, enum variant variant, int state);

/* Fills input, output and their guards, and what follows the schedule. */
void fill_buffers(const struct job *job, const struct job_case *c, const struct buffers *b);

/* Whether the bytes on either side of input and output, and those behind the schedule, are still the filled ones. */
int guards_intact(const struct job *job, const struct job_case *c, const struct buffers *b);

/* Of the stream that belongs to `salt`; distinct for salts below 65 536. */
uint32_t seed_of(const struct job_case *c, uint32_t salt);

/* xorshift32, one little-endian word after the other. */
void generate(uint8_t *out, uint32_t bytes, uint32_t seed);

/* Whether `bytes` are still what `generate` wrote. */
int is_generated(const uint8_t *bytes, uint32_t count, uint32_t seed);

#endif
