/* Names of the errors that AF_ALG is known to give: strerrorname_np is glibc's alone. */
#include <errno.h>
#include <stdio.h>

#include "af_alg.h"

const char *error_name(int error)
{
    static char number[16];
    static const struct {
        int error;
        const char *name;
    } names[] = {
#define NAME(e) {e, #e}
        NAME(EACCES),  NAME(EAFNOSUPPORT), NAME(EAGAIN),  NAME(EBADMSG), NAME(EBUSY),      NAME(ECONNRESET),
        NAME(EFAULT),  NAME(EINTR),        NAME(EINVAL),  NAME(EIO),     NAME(EKEYREJECTED), NAME(ELIBBAD),
        NAME(EMFILE),  NAME(ENFILE),       NAME(ENOBUFS), NAME(ENODEV),  NAME(ENOENT),     NAME(ENOKEY),
        NAME(ENOMEM),  NAME(ENOSYS),       NAME(EOPNOTSUPP), NAME(EPERM), NAME(EPIPE),     NAME(ETIMEDOUT),
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (names[i].error == error)
            return names[i].name;
    }
    snprintf(number, sizeof number, "errno %d", error);
    return number;
}
