/* The stand-in's descriptors, faults, clock and list of drivers; see fake_kernel.h. */
#define _GNU_SOURCE
#include "fake_kernel.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "fake_drivers.h"

static struct object objects[MOST_FDS];
static int64_t now_ms = 1000;
static int rested = 1;

void must_rest(void)
{
    if (!rested)
        broken("the same call again without a pause");
    rested = 0;
}

int fault(const char *name)
{
    const char *list = getenv("FAKE_FAULTS"), *at = list ? strstr(list, name) : NULL;
    size_t length = strlen(name);

    return at && (at == list || at[-1] == ',') && (at[length] == ',' || at[length] == '\0');
}

int disturbed(const char *hang)
{
    static unsigned calls;
    int hangs = fault(hang);

    if (fault("storm")) {
        errno = EINTR;
        return 1;
    }
    calls++;
    errno = hangs || calls % 2 == 0 ? EAGAIN : EINTR;
    if (hangs)
        return 1;
    return (errno == EINTR && fault("eintr") && calls % 4 == 1) ||
           (errno == EAGAIN && fault("eagain") && calls % 4 == 2);
}

void broken(const char *rule)
{
    printf("broken %s\n", rule);
    exit(5);
}

struct object *object(int file)
{
    if (file < FIRST_FD || file >= FIRST_FD + MOST_FDS || objects[file - FIRST_FD].kind == CLOSED)
        broken("a descriptor that is not open");
    return &objects[file - FIRST_FD];
}

int new_object(enum kind kind)
{
    for (int i = 0; i < MOST_FDS; i++) {
        if (objects[i].kind == CLOSED) {
            objects[i] = (struct object){.kind = kind};
            return FIRST_FD + i;
        }
    }
    broken("too many open descriptors");
}

int close(int file)
{
    if (file < FIRST_FD)
        return (int)syscall(SYS_close, file);
    struct object *o = object(file);
    if (o->kind == TRANSFORM && o->driver)
        o->driver->references--;
    pull(&o->queue, NULL, o->queue.bytes);
    o->kind = CLOSED;
    return 0;
}

void push(struct queue *queue, const uint8_t *data, size_t bytes, int copied)
{
    struct segment *s = &queue->segments[queue->count++];

    if (queue->count > sizeof queue->segments / sizeof *queue->segments)
        broken("too many segments");
    *s = (struct segment){.data = data, .bytes = bytes};
    if (copied) {
        s->copy = malloc(bytes);
        memcpy(s->copy, data, bytes);
        s->data = s->copy;
    }
    queue->bytes += bytes;
}

static void take(struct queue *queue, uint8_t *out, struct queue *to, size_t bytes)
{
    while (bytes > 0) {
        struct segment *s = &queue->segments[0];
        size_t now = bytes < s->bytes ? bytes : s->bytes;

        if (out)
            out = (uint8_t *)memcpy(out, s->data, now) + now;
        if (to)
            push(to, s->data, now, 0);
        s->data += now;
        s->bytes -= now;
        queue->bytes -= now;
        bytes -= now;
        if (s->bytes == 0) {
            free(s->copy);
            memmove(queue->segments, queue->segments + 1, --queue->count * sizeof *s);
        }
    }
}

void pull(struct queue *queue, uint8_t *out, size_t bytes)
{
    take(queue, out, NULL, bytes);
}

void move(struct queue *from, struct queue *to, size_t bytes)
{
    take(from, NULL, to, bytes);
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
    (void)clock;
    now_ms += 10;
    t->tv_sec = now_ms / 1000;
    t->tv_nsec = now_ms % 1000 * 1000000;
    return 0;
}

int poll(struct pollfd *files, nfds_t count, int timeout_ms)
{
    if (count > 1 || timeout_ms < 0)
        broken("poll without a deadline");
    rested = 1;
    if (count == 0) {
        now_ms += timeout_ms;
        return 0;
    }
    object(files->fd);
    if (fault("hang-send") || fault("hang-read")) {
        now_ms += timeout_ms;
        return 0;
    }
    if (fault("eintr") && now_ms % 3 == 0) {
        errno = EINTR;
        return -1;
    }
    files->revents = files->events;
    return 1;
}

struct driver *fake_driver(const char *name)
{
    static struct driver drivers[] = {
        {"cbc(aes)", "cbc-aes-neonbs", 250, 1, 1}, {"cbc(aes)", "cbc-aes-ce", 300, 1, 1},
        {"ecb(aes)", "ecb-aes-ce", 300, 4, 0},     {"xts(aes)", "xts-aes-ce", 300, 1, 3},
        {"ctr(aes)", "ctr-aes-ce", 300, 1, 2},     {NULL, NULL, 0, 0, 0},
    };
    struct driver *found = NULL;

    if (!name)
        return drivers;
    for (struct driver *d = drivers; d->name && !fault("no-drivers"); d++) {
        if (d->mode == 2 && fault("no-ctr"))
            continue;
        if (!strcmp(d->name, name) || (!strcmp(d->algorithm, name) && (!found || d->priority > found->priority)))
            found = d;
    }
    return found;
}

FILE *fopen(const char *path, const char *mode)
{
    static char text[4096];
    size_t used = 0;

    if (strcmp(path, "/proc/crypto") || mode[0] != 'r')
        broken("a file that is not /proc/crypto");
    for (struct driver *d = fake_driver(NULL); d->name; d++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "name         : %s\ndriver       : %s\nmodule       : aes_ce_blk\npriority     : %d\n"
                                 "refcnt       : %d\nselftest     : passed\ninternal     : no\n"
                                 "type         : skcipher\nasync        : no\nblocksize    : 16\n\n",
                                 d->algorithm, d->name, d->priority, d->references);
    snprintf(text + used, sizeof text - used,
             "name         : cbc(aes)\ndriver       : no-skcipher\npriority     : 900\nrefcnt       : 9\n"
             "type         : shash\n");
    return fmemopen(text, strlen(text), "r");
}
