/*
 * AES by the kernel's crypto API, through AF_ALG sockets: what the implementations af-alg, af-alg-stream and
 * af-alg-vmsplice share. They differ in how a piece of a message reaches the kernel (`af_alg_transport`).
 *
 * Source: Linux, Documentation/crypto/userspace-if.rst, crypto/af_alg.c and crypto/algif_skcipher.c.
 *
 * No call hangs: sockets and pipes do not block, and where the kernel is not ready a call waits for it by poll for at
 * most PATIENCE_S seconds without progress, signals or not; then the run ends with a message. Only the work itself, in
 * the kernel, cannot be interrupted.
 */
#ifndef CIPHERMARK_AF_ALG_H
#define CIPHERMARK_AF_ALG_H

#include "held_key/held_key.h"

/* Binds the driver of this name (of /proc/crypto, for instance cbc-aes-ce) for the mode that it implements. */
#define DRIVER_VARIABLE "CIPHERMARK_AF_ALG_DRIVER"

#define PATIENCE_S 10

struct alg_socket {
    uint64_t ticket; /* of the key it has; 0 if it is not open */
    int transform, operation;
    enum mode mode;
    size_t piece_bytes;          /* what the socket's buffers take at once: a power of two, a page at least */
    int continues;               /* the kernel goes on from `iv` if it is not told otherwise */
    uint8_t iv[AES_BLOCK_BYTES];
};

/* What begins a message: the control data. */
struct start {
    uint32_t operation;
    const uint8_t *iv; /* NULL: the mode has none */
};

struct transport {
    /* Pieces are parts of one message as long as their iv is the one the last piece left behind. */
    int streams;
    /*
     * Gives the kernel up to `bytes` of `in` behind `start`, or behind the last piece if it is NULL; returns how many
     * it took, at least one. `more`: another piece may follow in this message. May change what lies in `in` only
     * after all of it was received.
     */
    size_t (*send)(struct alg_socket *socket, const struct start *start, const uint8_t *in, size_t bytes, int more);
};

/* The implementation's. */
extern const struct transport af_alg_transport;

/* sockets.c */
struct alg_socket *socket_for(const struct held_key *key, enum mode mode);
/* Looks which drivers there are; NULL, or in one line why the kernel cannot be used. */
const char *find_drivers(void);
/* What find_drivers() found, in one line. */
const char *drivers_described(void);
/* The same of one mode, by native.h's ciphermark_driver; NULL beyond those known. */
const char *driver_bound(unsigned number);

/* messages.c: one sendmsg (`transport.send` in the simplest way), and as many reads as `bytes` take. */
size_t send_message(struct alg_socket *socket, const struct start *start, const uint8_t *in, size_t bytes, int more);
void receive(struct alg_socket *socket, uint8_t *out, size_t bytes);

/* patience.c: one wait, however often it is interrupted. Begin with {0} and again after every progress. */
struct patience {
    int64_t deadline_ms;
};
/*
 * After a call on `file` failed: returns if it is to be made again (EINTR; or EAGAIN, once `file` is ready for
 * `events` of poll, or after a moment if there are none), ends the run if `error` is another one or time is up. `doing`
 * says what was tried.
 */
void retry_or_fail(struct patience *patience, int file, short events, int error, const char *doing);

/* errors.c */
const char *error_name(int error);

#endif
