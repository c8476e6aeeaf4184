/* Reading /proc/crypto: paragraphs of "key : value" lines, one a driver; see crypto_drivers.h. */
#include "crypto_drivers.h"

#include <stdio.h>
#include <string.h>

static int is_cipher(const char *type)
{
    return !strcmp(type, "skcipher") || !strcmp(type, "lskcipher");
}

void read_crypto_drivers(struct crypto_drivers *list)
{
    char line[256], type[32] = "";
    struct crypto_driver driver = {.priority = 0};
    FILE *file = fopen("/proc/crypto", "re");

    list->count = 0;
    if (!file)
        return;
    for (int more = 1; more;) {
        more = fgets(line, sizeof line, file) != NULL;
        if (!more || line[0] == '\n') {
            if (is_cipher(type) && list->count < MOST_DRIVERS)
                list->drivers[list->count++] = driver;
            driver = (struct crypto_driver){.priority = 0};
            type[0] = '\0';
            continue;
        }
        if (sscanf(line, "name : %63s", driver.algorithm) == 1 || sscanf(line, "driver : %63s", driver.name) == 1 ||
            sscanf(line, "type : %31s", type) == 1 || sscanf(line, "priority : %d", &driver.priority) == 1)
            continue;
        sscanf(line, "refcnt : %d", &driver.references);
    }
    fclose(file);
}

const struct crypto_driver *driver_named(const struct crypto_drivers *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++) {
        if (!strcmp(list->drivers[i].name, name))
            return &list->drivers[i];
    }
    return NULL;
}

const struct crypto_driver *driver_taken(const struct crypto_drivers *before, const struct crypto_drivers *after,
                                         const char *algorithm)
{
    const struct crypto_driver *taken = NULL;

    for (size_t i = 0; i < after->count; i++) {
        const struct crypto_driver *driver = &after->drivers[i];
        if (strcmp(driver->algorithm, algorithm))
            continue;
        const struct crypto_driver *earlier = driver_named(before, driver->name);
        if (driver->references > (earlier ? earlier->references : 1) && (!taken || driver->priority > taken->priority))
            taken = driver;
    }
    return taken;
}
