/* Where a case's data lies: static for what is small, after the job in RAM for input, output and schedule. */
#ifndef CIPHERMARK_BUFFERS_H
#define CIPHERMARK_BUFFERS_H

#include <stdint.h>

#include "job.h"

#define GUARD_BYTES 64u
#define MAX_KEY_BYTES 64u
#define MAX_CHAIN_BYTES 64u

/* The pointers a call is given, and the same memory as the harness wants it back. */
struct buffers {
    uint8_t *in;
    uint8_t *out; /* equals `in` in place; GUARD_BYTES on either side are the harness's */
    uint8_t *key;
    uint8_t *chain;
    uint8_t *schedule; /* 64-byte aligned */
};

/* The first case, past the header. */
const struct job_case *first_case(const struct job *job);
const struct job_case *next_case(const struct job_case *record);

/* The byte string that follows `bytes` others behind a record; each is padded to words. */
const uint8_t *payload(const struct job_case *record);
uint32_t padded(uint32_t bytes);

/* Pointers for one variant; `state` says that the chain is words and stays aligned. */
struct buffers place(const struct job *job, const struct job_case *c, enum variant variant, int state);

void fill_output(const struct job *job, const struct job_case *c);
int output_guards_intact(const struct job *job, const struct job_case *c, const struct buffers *b);

/* xorshift32, one little-endian word after the other. */
void generate(uint8_t *out, uint32_t bytes, uint32_t seed);

/* Fletcher's two sums over little-endian words, the last one padded with zeros; starts from {0, 0}. */
struct digest {
    uint32_t sum;
    uint32_t sum_of_sums;
};
void digest_bytes(struct digest *digest, const uint8_t *bytes, uint32_t count);

#endif
