/* Opening AF_ALG, and what each refusal means; see bind.h. */
#define _GNU_SOURCE
#include "bind.h"

#include <errno.h>
#include <linux/if_alg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "af_alg.h"

static char message[512];

static const char *no_socket(int error)
{
    switch (error) {
    case EAFNOSUPPORT:
        return "this kernel has no AF_ALG (CONFIG_CRYPTO_USER_API_SKCIPHER): modprobe algif_skcipher, or use the "
               "engine vm";
    case EPERM:
    case EACCES:
        snprintf(message, sizeof message,
                 "this process may not open AF_ALG sockets (%s): a seccomp filter or security module forbids it; run "
                 "outside of the container or allow socket(AF_ALG)",
                 error_name(error));
        return message;
    default:
        snprintf(message, sizeof message, "socket(AF_ALG): %s (%s)", strerror(error), error_name(error));
        return message;
    }
}

static const char *not_bound(const char *name, int error)
{
    switch (error) {
    case ENOENT:
        snprintf(message, sizeof message,
                 "no driver of %s in this kernel, or no algif_skcipher (ENOENT): modprobe algif_skcipher and the "
                 "driver's module; /proc/crypto lists drivers",
                 name);
        break;
    case ELIBBAD:
        snprintf(message, sizeof message, "the kernel's driver of %s failed its self-test (ELIBBAD): see dmesg", name);
        break;
    default:
        snprintf(message, sizeof message, "bind to %s: %s (%s)", name, strerror(error), error_name(error));
    }
    return message;
}

const char *bind_cipher(const char *name, int *transform)
{
    struct sockaddr_alg address = {.salg_family = AF_ALG, .salg_type = "skcipher"};
    struct patience patience = {0};

    if (strlen(name) >= sizeof address.salg_name) {
        snprintf(message, sizeof message, "%.100s... is longer than a driver's name can be", name);
        return message;
    }
    strcpy((char *)address.salg_name, name);
    *transform = socket(AF_ALG, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (*transform < 0)
        return no_socket(errno);
    /* The kernel may load a module and test a driver meanwhile; a signal interrupts that. */
    while (bind(*transform, (struct sockaddr *)&address, sizeof address) != 0) {
        int error = errno;
        if (error != EINTR && error != EAGAIN) {
            close(*transform);
            return not_bound(name, error);
        }
        retry_or_fail(&patience, *transform, 0, error, "bind to AF_ALG");
    }
    return NULL;
}
