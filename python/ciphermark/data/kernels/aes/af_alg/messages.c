/* What goes to a socket by sendmsg and comes back by read; see af_alg.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/if_alg.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "af_alg.h"
#include "native.h"

#ifndef SOL_ALG
#define SOL_ALG 279
#endif

#define IV_BYTES (sizeof(struct af_alg_iv) + AES_BLOCK_BYTES)

union control {
    struct cmsghdr align;
    uint8_t bytes[CMSG_SPACE(sizeof(uint32_t)) + CMSG_SPACE(IV_BYTES)];
};

static void *add_control(struct msghdr *message, int type, size_t bytes)
{
    struct cmsghdr *header = (struct cmsghdr *)((uint8_t *)message->msg_control + message->msg_controllen);

    header->cmsg_level = SOL_ALG;
    header->cmsg_type = type;
    header->cmsg_len = CMSG_LEN(bytes);
    message->msg_controllen += CMSG_SPACE(bytes);
    return CMSG_DATA(header);
}

size_t send_message(struct alg_socket *socket, const struct start *start, const uint8_t *in, size_t bytes, int more)
{
    union control control = {.bytes = {0}};
    struct iovec data = {.iov_base = (void *)in, .iov_len = bytes};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = bytes != 0};
    struct patience patience = {0};

    if (start) {
        message.msg_control = control.bytes;
        memcpy(add_control(&message, ALG_SET_OP, sizeof start->operation), &start->operation, sizeof start->operation);
        if (start->iv) {
            struct af_alg_iv *iv = add_control(&message, ALG_SET_IV, IV_BYTES);
            iv->ivlen = AES_BLOCK_BYTES;
            memcpy(iv->iv, start->iv, AES_BLOCK_BYTES);
        }
    }
    for (;;) {
        ssize_t taken = sendmsg(socket->operation, &message, more ? MSG_MORE : 0);
        if (taken > 0 || (taken == 0 && bytes == 0))
            return (size_t)taken;
        retry_or_fail(&patience, socket->operation, POLLOUT, taken == 0 ? EIO : errno, "sendmsg to AF_ALG");
    }
}

/*
 * What was sent, all of it, may come in several counts. More is never asked for: the kernel would wait for more to be
 * sent even though it has something to give.
 */
void receive(struct alg_socket *socket, uint8_t *out, size_t bytes)
{
    struct patience patience = {0};

    while (bytes > 0) {
        ssize_t count = read(socket->operation, out, bytes);
        if (count > 0) {
            out += count;
            bytes -= (size_t)count;
            patience = (struct patience){0};
        } else {
            retry_or_fail(&patience, socket->operation, POLLIN, count == 0 ? EIO : errno, "read from AF_ALG");
        }
    }
}
