/* Waiting for the kernel with a deadline; see af_alg.h. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>

#include "af_alg.h"
#include "native.h"

/* Between two tries of what tells no readiness. */
#define PAUSE_MS 1

static int64_t now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static _Noreturn void give_up(const char *doing, int error)
{
    ciphermark_fail("%s: the kernel made no progress in %d s (%s)", doing, PATIENCE_S, error_name(error));
}

void retry_or_fail(struct patience *patience, int file, short events, int error, const char *doing)
{
    struct pollfd waiting = {.fd = file, .events = events};

    if (error == ENOKEY)
        ciphermark_fail("%s: the kernel has no key for this socket (ENOKEY)", doing);
    if (error != EINTR && error != EAGAIN)
        ciphermark_fail("%s: %s (%s)", doing, strerror(error), error_name(error));
    int64_t now = now_ms();
    if (patience->deadline_ms == 0)
        patience->deadline_ms = now + PATIENCE_S * 1000;
    if (now >= patience->deadline_ms)
        give_up(doing, error);
    if (error == EINTR)
        return;
    if (!events) {
        poll(NULL, 0, PAUSE_MS);
        return;
    }
    int ready = poll(&waiting, 1, (int)(patience->deadline_ms - now));
    if (ready == 0)
        give_up(doing, error);
    if (ready < 0 && errno != EINTR)
        ciphermark_fail("poll, while %s: %s (%s)", doing, strerror(errno), error_name(errno));
}
