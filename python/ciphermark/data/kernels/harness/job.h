/*
 * The job: what the harness has been asked to verify and measure.
 *
 * It is the whole content of the ELF's last PT_LOAD segment; Python (ciphermark/harness/job.py) writes it there, so one
 * link serves any number of jobs. A program for an operating system reads it from a file. Everything is little-endian
 * 32-bit words; byte strings follow their record, each padded with zeros to a multiple of 4.
 */
#ifndef CIPHERMARK_JOB_H
#define CIPHERMARK_JOB_H

#include <stdint.h>

#define JOB_MAGIC 0x424a4d43u /* "CMJB" */
#define JOB_VERSION 4u
#define NO_ENTRY 0xffffffffu
#define MOST_CALLS 16 /* timed, of a measurement on the bare machine */

/* What a C argument is: one nibble each in `roles`, first argument lowest. */
enum role { ROLE_NONE, ROLE_OUT, ROLE_IN, ROLE_BYTES, ROLE_IV, ROLE_KEY, ROLE_SCHEDULE, ROLE_STATE, ROLE_BLOCKS };

/* How a known answer is run; a bit mask. */
enum variant { VARIANT_PLAIN = 1, VARIANT_IN_PLACE = 2, VARIANT_UNALIGNED = 4, VARIANT_UNALIGNED_IN_PLACE = 8 };

/* What a measurement's seed is mixed with for the data of an untimed call (its variant), of the timed one, and of samples. */
enum salt { SALT_TIMED = 16, SALT_SAMPLES = 256 };

struct job {
    uint32_t magic;
    uint32_t version;
    uint32_t job_bytes;      /* of the whole segment, this header included */
    uint32_t vectors;        /* number of known answers, which come first */
    uint32_t requests;       /* number of measurements */
    uint32_t vlen;           /* bits of a vector register that the job is for; 0 if it uses none */
    uint32_t schedule_bytes; /* room for a key schedule */
    uint32_t mailbox;        /* on the bare machine: of a console without HTIF (htif.c), or 0 */
    uint32_t empty_calls;    /* on the bare machine: of the empty function; the last counts, 0 is 1 */
    uint32_t nonce[4];       /* key of every digest: no transcript of another job is one of this */
};

struct job_call {
    uint32_t entry; /* index into ciphermark_entries, or NO_ENTRY */
    uint32_t roles;
};

/* A known answer or a measurement. */
struct job_case {
    uint32_t record_bytes;
    struct job_call setup; /* fills the schedule; never timed */
    struct job_call call;  /* the operation itself */
    struct job_call check; /* after a timed key expansion: uses the schedule it made */
    uint32_t key_bytes;
    uint32_t chain_bytes; /* of the iv, counter or state, which the call updates */
    uint32_t data_bytes;
    uint32_t out_bytes;
    uint32_t blocks;
    uint32_t variants; /* of known answers, and of the untimed calls before a timed one */
    uint32_t calls;    /* measurements in a process: chained calls that are one sample; 0: as many as time well. On the
                          bare machine: timed calls on the same data, 0 is 1 */
    uint32_t seed;     /* measurements only: of the generated input */
    uint32_t window;   /* measurements in a process: every other one of many calls has its input so many bytes on, so that
                          none has that of the call before; else 0 */
    /* key, chain; for a known answer also: data, expected output, expected chain */
};

#endif
