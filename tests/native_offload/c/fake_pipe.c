/* Pipes of the stand-in: they refer to the caller's pages, so that changing these too early shows. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "fake_kernel.h"

int pipe2(int ends[2], int flags)
{
    if (!(flags & O_NONBLOCK))
        broken("a pipe that blocks");
    ends[0] = new_object(PIPE);
    ends[1] = new_object(PIPE);
    object(ends[0])->buffer_bytes = (fault("small-pipe") ? 4 : 16) * PAGE_BYTES;
    object(ends[1])->pipe = object(ends[0]);
    return 0;
}

int fcntl(int file, int command, ...)
{
    va_list arguments;

    if (command != F_SETPIPE_SZ)
        broken("an unknown fcntl");
    va_start(arguments, command);
    int bytes = va_arg(arguments, int);
    va_end(arguments);
    if (fault("small-pipe")) {
        errno = EPERM;
        return -1;
    }
    object(file)->pipe->buffer_bytes = (size_t)bytes;
    return bytes;
}

ssize_t vmsplice(int file, const struct iovec *pages, size_t count, unsigned flags)
{
    struct object *end = object(file)->pipe;
    const uint8_t *data = pages->iov_base;
    size_t filled = 0, slots = end->buffer_bytes / PAGE_BYTES;

    if (!end || count != 1 || !(flags & SPLICE_F_NONBLOCK) || (flags & SPLICE_F_GIFT))
        broken("a vmsplice that blocks or gives pages away");
    if (disturbed("hang-pipe"))
        return -1;
    while (filled < pages->iov_len && end->queue.count < slots) {
        size_t to_end = PAGE_BYTES - (uintptr_t)(data + filled) % PAGE_BYTES;
        size_t now = pages->iov_len - filled < to_end ? pages->iov_len - filled : to_end;
        push(&end->queue, data + filled, now, 0);
        filled += now;
    }
    return (ssize_t)filled;
}

ssize_t splice(int from, off64_t *from_offset, int to, off64_t *to_offset, size_t bytes, unsigned flags)
{
    struct queue *pipe = &object(from)->queue;
    struct object *o = object(to);
    size_t room = (o->buffer_bytes & ~(size_t)(PAGE_BYTES - 1)) - o->queue.bytes;

    if (from_offset || to_offset || !(flags & SPLICE_F_NONBLOCK) || bytes > pipe->bytes)
        broken("a splice that blocks");
    if (o->queue.bytes && !o->more) {
        errno = EINVAL;
        return -1;
    }
    if (disturbed("hang-send"))
        return -1;
    if (fault("short-send") && bytes > PAGE_BYTES)
        bytes = PAGE_BYTES;
    if (bytes > room)
        bytes = room;
    if (bytes == 0) {
        errno = EAGAIN;
        return -1;
    }
    move(pipe, &o->queue, bytes);
    o->init = 1;
    o->more = flags & SPLICE_F_MORE;
    return (ssize_t)bytes;
}
