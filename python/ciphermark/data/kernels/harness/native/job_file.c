#define _GNU_SOURCE
#include "job_file.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../buffers.h"
#include "../native.h"

/* Of the regions that buffers.c lays behind the job: guards, alignment and window of both, with room to spare. */
#define MAX_WINDOW 4096u
#define REGION_OVERHEAD (4096u + MAX_WINDOW)

static void check(const struct job *job, uint64_t bytes, const char *path)
{
    if (bytes < sizeof *job || job->magic != JOB_MAGIC || job->version != JOB_VERSION || job->job_bytes != bytes)
        ciphermark_fail("%s is no job of version %u", path, JOB_VERSION);
    uint64_t at = sizeof *job;
    for (uint64_t i = 0; i < (uint64_t)job->vectors + job->requests; i++) {
        const struct job_case *c = (const struct job_case *)((const uint8_t *)job + at);
        if (at + sizeof *c > bytes || c->record_bytes < sizeof *c || at + c->record_bytes > bytes)
            ciphermark_fail("%s: case %u does not fit into it", path, (unsigned)i);
        if (c->key_bytes > MAX_KEY_BYTES || c->chain_bytes > MAX_CHAIN_BYTES)
            ciphermark_fail("%s: case %u has too long a key or iv", path, (unsigned)i);
        if (c->window > MAX_WINDOW)
            ciphermark_fail("%s: case %u has too large a window", path, (unsigned)i);
        at += c->record_bytes;
    }
}

static uint64_t largest_buffer(const struct job *job)
{
    uint64_t largest = 0;
    const struct job_case *c = first_case(job);
    for (uint64_t i = 0; i < (uint64_t)job->vectors + job->requests; i++, c = next_case(c)) {
        if (c->data_bytes > largest)
            largest = c->data_bytes;
        if (c->out_bytes > largest)
            largest = c->out_bytes;
    }
    return largest;
}

/*
 * Where in its memory the job is to lie so that plain input, behind the job and a guard, begins a page: kernels that
 * are given pages instead of copies take fewer of them then.
 */
static uint64_t lead(uint64_t bytes)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    return page - (((bytes + 63) & ~(uint64_t)63) + GUARD_BYTES) % page;
}

static void *reserve(uint64_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        ciphermark_fail("no memory for %llu bytes of job and buffers: %m", (unsigned long long)bytes);
    return memory;
}

static void read_all(int file, uint8_t *to, uint64_t bytes, const char *path)
{
    while (bytes) {
        ssize_t count = read(file, to, bytes);
        if (count <= 0)
            ciphermark_fail("%s cannot be read", path);
        to += count;
        bytes -= (uint64_t)count;
    }
}

const struct job *load_job(const char *path)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &status) != 0)
        ciphermark_fail("%s cannot be opened: %m", path);
    uint64_t bytes = (uint64_t)status.st_size;
    uint64_t before = lead(bytes);
    uint64_t read_into = before + bytes + REGION_OVERHEAD;
    uint8_t *memory = reserve(read_into);
    const struct job *job = (const struct job *)(memory + before);
    read_all(file, memory + before, bytes, path);
    check(job, bytes, path);
    uint64_t whole = before + bytes + 2 * (largest_buffer(job) + REGION_OVERHEAD);
    uint8_t *roomy = mremap(memory, read_into, whole, MREMAP_MAYMOVE);
    if (roomy == MAP_FAILED)
        ciphermark_fail("no memory for %llu bytes of job and buffers: %m", (unsigned long long)whole);
    close(file);
    return (const struct job *)(roomy + before);
}
