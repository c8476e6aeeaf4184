/* Keys and the sockets that have them; see af_alg.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if_alg.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "af_alg.h"
#include "bind.h"
#include "drivers.h"
#include "native.h"

#ifndef SOL_ALG
#define SOL_ALG 279
#endif

/* A socket's buffer asked for, which the kernel doubles; granted to CAP_NET_ADMIN alone. */
#define WANTED_BUFFER_BYTES (2 << 20)
#define LARGEST_PIECE_BYTES ((size_t)1 << 20)

static struct alg_socket sockets[KEY_PLACES][MODES];

static size_t buffer_bytes(int operation, int option)
{
    int bytes = 0;
    socklen_t length = sizeof bytes;

    return getsockopt(operation, SOL_SOCKET, option, &bytes, &length) == 0 && bytes > 0 ? (size_t)bytes : 0;
}

/*
 * A send of more than the buffer takes (212,992 bytes unless configured otherwise) waits for room that only the same
 * process could make, by reading; what one read cannot deliver of a message, none delivers. Pieces stay below both.
 */
static size_t piece_bytes(int operation)
{
    size_t piece = (size_t)sysconf(_SC_PAGESIZE), most = LARGEST_PIECE_BYTES;
    int wanted = WANTED_BUFFER_BYTES;

    if (setsockopt(operation, SOL_SOCKET, SO_SNDBUFFORCE, &wanted, sizeof wanted) == 0)
        setsockopt(operation, SOL_SOCKET, SO_RCVBUFFORCE, &wanted, sizeof wanted);
    const int options[] = {SO_SNDBUF, SO_RCVBUF};
    for (int i = 0; i < 2; i++) {
        size_t granted = buffer_bytes(operation, options[i]);
        most = granted < most ? granted : most;
    }
    while (2 * piece <= most)
        piece *= 2;
    return piece;
}

static int accept_operations(int transform)
{
    struct patience patience = {0};

    for (;;) {
        int operation = accept4(transform, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (operation >= 0)
            return operation;
        retry_or_fail(&patience, transform, 0, errno, "accept of an AF_ALG socket");
    }
}

static void open_socket(struct alg_socket *socket, const struct held_key *key, enum mode mode)
{
    const char *cipher = cipher_of(mode);
    const char *refused = bind_cipher(cipher, &socket->transform);

    if (refused)
        ciphermark_fail("%s", refused);
    if (setsockopt(socket->transform, SOL_ALG, ALG_SET_KEY, key->key, key->bits / 8) != 0)
        ciphermark_fail("the driver of %s refuses a key of %u bits: %s (%s)", cipher, (unsigned)key->bits,
                        strerror(errno), error_name(errno));
    socket->operation = accept_operations(socket->transform);
    socket->piece_bytes = piece_bytes(socket->operation);
    socket->mode = mode;
    socket->continues = 0;
    socket->ticket = key->ticket;
}

struct alg_socket *socket_for(const struct held_key *key, enum mode mode)
{
    struct alg_socket *socket = &sockets[key->ticket % KEY_PLACES][mode];

    if (socket->ticket == key->ticket)
        return socket;
    if (socket->ticket != 0) {
        close(socket->operation);
        close(socket->transform);
        socket->ticket = 0;
    }
    open_socket(socket, key, mode);
    return socket;
}
