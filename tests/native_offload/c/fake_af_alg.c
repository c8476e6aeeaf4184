/* AF_ALG sockets of the stand-in: af_alg_sendmsg and skcipher_recvmsg by their rules; see fake_kernel.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/if_alg.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cipher.h"
#include "fake_drivers.h"

#ifndef SOL_ALG
#define SOL_ALG 279
#endif

enum { ECB, CBC, CTR };

static int refuse(int error)
{
    errno = error;
    return -1;
}

int socket(int domain, int type, int protocol)
{
    if (domain != AF_ALG || (type & 0xf) != SOCK_SEQPACKET || protocol != 0)
        broken("socket() of another kind");
    if (fault("no-af-alg"))
        return refuse(EAFNOSUPPORT);
    return fault("forbidden") ? refuse(EPERM) : new_object(TRANSFORM);
}

int bind(int file, const struct sockaddr *name, socklen_t length)
{
    const struct sockaddr_alg *address = (const struct sockaddr_alg *)name;
    struct object *o = object(file);

    if (length != sizeof *address || strcmp((const char *)address->salg_type, "skcipher"))
        return refuse(EINVAL);
    if (fault("busy-bind")) {
        must_rest();
        return refuse(EAGAIN);
    }
    if (disturbed("hang-bind"))
        return refuse(EINTR);
    o->driver = fake_driver((const char *)address->salg_name);
    if (!o->driver)
        return refuse(ENOENT);
    o->driver->references++;
    return 0;
}

int setsockopt(int file, int level, int option, const void *value, socklen_t length)
{
    struct object *o = object(file);

    if (level == SOL_ALG && option == ALG_SET_KEY) {
        if (o->kind != TRANSFORM || !o->driver || (length != 16 && length != 24 && length != 32))
            return refuse(EINVAL);
        KeyExpansion(o->round_keys, value, length / 4);
        o->rounds = length / 4 + 6;
        return 0;
    }
    if (level != SOL_SOCKET || (option != SO_SNDBUFFORCE && option != SO_RCVBUFFORCE))
        broken("an unknown socket option");
    if (!fault("privileged"))
        return refuse(EPERM);
    *(option == SO_SNDBUFFORCE ? &o->buffer_bytes : &o->receive_bytes) = 2 * (size_t)*(const int *)value;
    return 0;
}

int getsockopt(int file, int level, int option, void *restrict value, socklen_t *restrict length)
{
    struct object *o = object(file);

    if (level != SOL_SOCKET || (option != SO_SNDBUF && option != SO_RCVBUF) || *length != sizeof(int))
        broken("an unknown socket option");
    *(int *)value = (int)(option == SO_SNDBUF ? o->buffer_bytes : o->receive_bytes);
    return 0;
}

int accept4(int file, struct sockaddr *address, socklen_t *length, int flags)
{
    struct object *transform = object(file);

    if (address || length || !(flags & SOCK_NONBLOCK))
        broken("a socket that blocks");
    int accepted = new_object(OPERATION);
    struct object *o = object(accepted);
    o->driver = transform->driver;
    o->rounds = transform->rounds;
    memcpy(o->round_keys, transform->round_keys, sizeof o->round_keys);
    o->buffer_bytes = fault("small-send-buffer") ? 2 * PAGE_BYTES + 100 : 212992;
    o->receive_bytes = fault("small-receive-buffer") ? 3 * PAGE_BYTES : 212992;
    return accepted;
}

static int set_control(struct object *o, const struct msghdr *message)
{
    size_t iv_bytes = o->driver->mode == ECB ? 0 : 16;

    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR((struct msghdr *)message, c)) {
        if (c->cmsg_level != SOL_ALG)
            broken("control data of another level");
        if (c->cmsg_type == ALG_SET_OP && c->cmsg_len == CMSG_LEN(4)) {
            uint32_t operation;
            memcpy(&operation, CMSG_DATA(c), 4);
            o->encrypts = operation == ALG_OP_ENCRYPT;
        } else if (c->cmsg_type == ALG_SET_IV) {
            const struct af_alg_iv *iv = (const struct af_alg_iv *)CMSG_DATA(c);
            if (iv->ivlen != iv_bytes || c->cmsg_len != CMSG_LEN(sizeof *iv + iv_bytes))
                return 0;
            memcpy(o->iv, iv->iv, iv_bytes);
        } else {
            return 0;
        }
    }
    return 1;
}

ssize_t sendmsg(int file, const struct msghdr *message, int flags)
{
    struct object *o = object(file);
    size_t bytes = message->msg_iovlen ? message->msg_iov->iov_len : 0, room = 0;

    if (o->kind != OPERATION || !o->rounds)
        return refuse(ENOKEY);
    if (disturbed("hang-send"))
        return -1;
    if (o->init && !o->more && o->queue.bytes)
        return refuse(EINVAL);
    if (message->msg_controllen && !set_control(o, message))
        return refuse(EINVAL);
    o->init = 1;
    if (bytes) {
        room = (o->buffer_bytes & ~(size_t)(PAGE_BYTES - 1)) - o->queue.bytes;
        if (room < PAGE_BYTES)
            return refuse(EAGAIN);
        room = fault("short-send") ? PAGE_BYTES : fault("odd-send") ? 1000 : room;
        if (bytes > room) {
            push(&o->queue, message->msg_iov->iov_base, room, 1);
            return (ssize_t)room; /* whether more follows is left as it was */
        }
        push(&o->queue, message->msg_iov->iov_base, bytes, 1);
    }
    o->more = flags & MSG_MORE;
    return (ssize_t)bytes;
}

static void crypt_block(struct object *o, uint8_t *block, size_t bytes)
{
    uint8_t before[16], stream[16];

    switch (o->driver->mode) {
    case CTR:
        Cipher(stream, o->iv, o->round_keys, o->rounds);
        for (int i = 15; i >= 0 && ++o->iv[i] == 0; i--)
            ;
        for (size_t i = 0; i < bytes; i++)
            block[i] ^= stream[i];
        break;
    case CBC:
        memcpy(before, block, 16);
        if (!o->encrypts)
            InvCipher(block, block, o->round_keys, o->rounds);
        for (int i = 0; i < 16; i++)
            block[i] ^= o->iv[i];
        if (o->encrypts)
            Cipher(block, block, o->round_keys, o->rounds);
        memcpy(o->iv, o->encrypts ? block : before, 16);
        break;
    default: (o->encrypts ? Cipher : InvCipher)(block, block, o->round_keys, o->rounds);
    }
}

ssize_t read(int file, void *to, size_t bytes)
{
    if (file < FIRST_FD)
        return syscall(SYS_read, file, to, bytes);
    struct object *o = object(file);
    uint8_t *out = to;

    if (fault("badmsg") || fault("nokey"))
        return refuse(fault("badmsg") ? EBADMSG : ENOKEY);
    if (disturbed("hang-read"))
        return -1;
    if (o->queue.bytes < bytes)
        broken("a read of more than was sent");
    if (!o->init)
        return refuse(EAGAIN); /* the rest of a message that one read did not end */
    if (fault("short-read") && bytes > PAGE_BYTES)
        bytes = PAGE_BYTES;
    if (bytes > (o->receive_bytes & ~(size_t)(PAGE_BYTES - 1)))
        bytes = o->receive_bytes & ~(size_t)(PAGE_BYTES - 1);
    if (o->more || bytes < o->queue.bytes)
        bytes -= bytes % 16;
    if (o->driver->mode != CTR && bytes % 16)
        return refuse(EINVAL);
    pull(&o->queue, out, bytes);
    for (size_t done = 0; done < bytes; done += 16)
        crypt_block(o, out + done, bytes - done < 16 ? bytes - done : 16);
    o->init = o->more != 0;
    return (ssize_t)bytes;
}
