/* The kernel's list of cipher drivers, /proc/crypto. */
#ifndef CIPHERMARK_CRYPTO_DRIVERS_H
#define CIPHERMARK_CRYPTO_DRIVERS_H

#include <stddef.h>

struct crypto_driver {
    char algorithm[64]; /* "cbc(aes)" */
    char name[64];      /* "cbc-aes-ce" */
    int priority;
    int references;
};

#define MOST_DRIVERS 512

/* Drivers of the type skcipher; none if the list cannot be read. */
struct crypto_drivers {
    size_t count;
    struct crypto_driver drivers[MOST_DRIVERS];
};

void read_crypto_drivers(struct crypto_drivers *list);

const struct crypto_driver *driver_named(const struct crypto_drivers *list, const char *name);

/*
 * Which driver of `algorithm` got a user between the two readings: what a bind in between took. NULL if none did. The
 * kernel tells this in no other way. A driver that came with the bind counts from the reference it is born with.
 */
const struct crypto_driver *driver_taken(const struct crypto_drivers *before, const struct crypto_drivers *after,
                                         const char *algorithm);

#endif
