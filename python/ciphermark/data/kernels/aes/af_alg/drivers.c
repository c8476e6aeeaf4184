/* Which driver serves each mode: the kernel's choice, or the one that the environment names; see af_alg.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "af_alg.h"
#include "bind.h"
#include "crypto_drivers.h"
#include "drivers.h"

static const char *const algorithms[MODES] = {"ecb(aes)", "cbc(aes)", "ctr(aes)"};
static const char *const modes[MODES] = {"ecb", "cbc", "ctr"};

static struct crypto_driver found[MODES]; /* no name: not told; no algorithm: there is none */
static char chosen[64];
static enum mode chosen_mode = MODES;

const char *cipher_of(enum mode mode)
{
    return mode == chosen_mode ? chosen : algorithms[mode];
}

/* Binds and lets go again; the driver taken is left in `driver`. */
static const char *try_cipher(const char *cipher, const char *algorithm, struct crypto_driver *driver)
{
    static struct crypto_drivers before, after;
    int transform;

    read_crypto_drivers(&before);
    const char *refused = bind_cipher(cipher, &transform);
    if (refused)
        return refused;
    read_crypto_drivers(&after);
    close(transform);
    const struct crypto_driver *taken =
        algorithm ? driver_taken(&before, &after, algorithm) : driver_named(&after, cipher);
    if (taken)
        *driver = *taken;
    else
        *driver = (struct crypto_driver){.priority = -1};
    return NULL;
}

static const char *choose(const char *name)
{
    static char message[256];
    struct crypto_driver driver;
    const char *refused = try_cipher(name, NULL, &driver);

    if (refused)
        return refused;
    for (int mode = 0; mode < MODES; mode++) {
        if (!strcmp(driver.algorithm, algorithms[mode])) {
            snprintf(chosen, sizeof chosen, "%s", name);
            chosen_mode = (enum mode)mode;
            found[mode] = driver;
            return NULL;
        }
    }
    snprintf(message, sizeof message, "%s, which %s names, is a driver of %s, not of AES in ECB, CBC or CTR mode", name,
             DRIVER_VARIABLE, driver.algorithm[0] ? driver.algorithm : "an algorithm that /proc/crypto does not tell");
    return message;
}

const char *find_drivers(void)
{
    const char *wanted = getenv(DRIVER_VARIABLE);
    const char *refused = wanted && *wanted ? choose(wanted) : NULL;
    int available = 0;

    if (refused)
        return refused;
    for (int mode = 0; mode < MODES; mode++) {
        const char *missing = (enum mode)mode == chosen_mode
                                  ? NULL
                                  : try_cipher(algorithms[mode], algorithms[mode], &found[mode]);
        if (missing)
            refused = missing;
        else
            available++;
    }
    return available ? NULL : refused;
}

const char *driver_bound(unsigned number)
{
    static char text[128];

    for (int mode = 0; mode < MODES; mode++) {
        if (found[mode].name[0] && !number--) {
            snprintf(text, sizeof text, "%s %s %d", modes[mode], found[mode].name, found[mode].priority);
            return text;
        }
    }
    return NULL;
}

const char *drivers_described(void)
{
    static char text[512];
    struct utsname kernel;
    size_t used = 0;

    for (int mode = 0; mode < MODES; mode++) {
        const char *separator = mode ? "; " : "";
        if (found[mode].name[0])
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s, priority %d", separator, found[mode].name,
                                     found[mode].priority);
        else
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s of %s", separator,
                                     found[mode].priority < 0 ? "unknown driver" : "no driver", algorithms[mode]);
    }
    uname(&kernel);
    snprintf(text + used, sizeof text - used, " (kernel %s)", kernel.release);
    return text;
}
