/*
 * A stand-in for the kernel behind AF_ALG, for machines that have none: the implementations are linked unchanged
 * against these functions in place of the C library's. The rules are those of crypto/af_alg.c and
 * crypto/algif_skcipher.c (Linux 6.12), the cipher is kernels/aes/sbox. Whoever breaks a rule that the kernel answers
 * by blocking for ever, or leaks descriptors, is stopped by "broken ...".
 *
 * FAKE_FAULTS in the environment lists, with commas between:
 *   eintr, eagain          every call fails so once before it works
 *   short-send, short-read counts of a page at most
 *   odd-send               a send takes 1000 bytes at most
 *   hang-send, hang-read   EAGAIN for ever;  storm: EINTR for ever (time passes at every look at the clock)
 *   busy-bind              bind fails with EAGAIN for ever; who tries again without a pause is stopped
 *   badmsg, nokey          a read fails with EBADMSG, with ENOKEY
 *   no-af-alg, forbidden   socket() fails with EAFNOSUPPORT, with EPERM
 *   no-drivers, no-ctr     there are no drivers, or none of ctr(aes)
 *   small-send-buffer      sockets take two pages;  small-receive-buffer: they give three pages
 *   privileged             both buffers may be enlarged
 *   small-pipe             pipes stay at four pages
 */
#ifndef CIPHERMARK_TESTS_FAKE_KERNEL_H
#define CIPHERMARK_TESTS_FAKE_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#define PAGE_BYTES 4096
#define FIRST_FD 1000
#define MOST_FDS 96

enum kind { CLOSED, TRANSFORM, OPERATION, PIPE };

/* Bytes that wait: referred to where they lie, as by splice, or a copy of our own, as by sendmsg. */
struct segment {
    const uint8_t *data;
    size_t bytes;
    uint8_t *copy;
};

struct queue {
    struct segment segments[600];
    size_t count, bytes;
};

struct driver {
    const char *algorithm, *name;
    int priority, references, mode;
};

struct object {
    enum kind kind;
    struct driver *driver;
    uint8_t round_keys[240];
    unsigned rounds; /* 0: no key yet */
    int init, more, encrypts;
    uint8_t iv[16];
    struct queue queue;
    size_t buffer_bytes, receive_bytes;
    struct object *pipe; /* of the writing end: the reading end, which holds the queue */
};

int fault(const char *name);

/* Stops whoever has not waited since the last time. */
void must_rest(void);
/* Whether a call is to fail now, with errno set. */
int disturbed(const char *hang);
_Noreturn void broken(const char *rule);

struct object *object(int file);
int new_object(enum kind kind);

void push(struct queue *queue, const uint8_t *data, size_t bytes, int copied);
/* Takes `bytes` off the queue's front into `out`, or into `to`. */
void pull(struct queue *queue, uint8_t *out, size_t bytes);
void move(struct queue *from, struct queue *to, size_t bytes);

#endif
