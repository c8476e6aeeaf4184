/*
 * The caller's pages are moved into a pipe (vmsplice) and from there to the socket (splice), in messages as long as
 * their iv chains. Kernels whose AF_ALG has lost zero-copy (6.12.117 is one) copy them all the same.
 *
 * Where blocks of the cipher would straddle pages, and for what is shorter than a page, data are sent by sendmsg.
 * Pieces of a page-aligned buffer move fastest.
 *
 * Source: splice(2), vmsplice(2), Linux, Documentation/crypto/userspace-if.rst, section "Zero-Copy Interface". The
 * pages are not gifts: the caller uses them again once a piece was received.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../af_alg/af_alg.h"
#include "native.h"

#define WANTED_PIPE_BYTES (1 << 20)

/* Made once; always empty between calls. */
static int pipe_ends[2] = {-1, -1};

static void open_pipe(void)
{
    if (pipe_ends[0] >= 0)
        return;
    if (pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK) != 0)
        ciphermark_fail("pipe: %s (%s)", strerror(errno), error_name(errno));
    /* Refused above /proc/sys/fs/pipe-max-size; a smaller pipe takes smaller pieces. */
    fcntl(pipe_ends[1], F_SETPIPE_SZ, WANTED_PIPE_BYTES);
}

/* As much of the pages as the pipe takes. */
static size_t fill_pipe(const uint8_t *in, size_t bytes)
{
    struct iovec pages = {.iov_base = (void *)in, .iov_len = bytes};
    struct patience patience = {0};

    for (;;) {
        ssize_t filled = vmsplice(pipe_ends[1], &pages, 1, SPLICE_F_NONBLOCK);
        if (filled > 0)
            return (size_t)filled;
        retry_or_fail(&patience, pipe_ends[1], POLLOUT, filled == 0 ? EIO : errno, "vmsplice");
    }
}

static void drain_pipe(const struct alg_socket *socket, size_t bytes, int more)
{
    struct patience patience = {0};

    while (bytes > 0) {
        ssize_t moved =
            splice(pipe_ends[0], NULL, socket->operation, NULL, bytes, SPLICE_F_NONBLOCK | (more ? SPLICE_F_MORE : 0));
        if (moved > 0) {
            bytes -= (size_t)moved;
            patience = (struct patience){0};
        } else {
            retry_or_fail(&patience, socket->operation, POLLOUT, moved == 0 ? EIO : errno, "splice to AF_ALG");
        }
    }
}

static size_t send_pages(struct alg_socket *socket, const struct start *start, const uint8_t *in, size_t bytes,
                         int more)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    if (bytes < page || (uintptr_t)in % AES_BLOCK_BYTES != 0)
        return send_message(socket, start, in, bytes, more);
    open_pipe();
    if (start)
        send_message(socket, start, NULL, 0, 1);
    size_t filled = fill_pipe(in, bytes - bytes % page);
    drain_pipe(socket, filled, 1);
    return filled;
}

const struct transport af_alg_transport = {.streams = 1, .send = send_pages};
