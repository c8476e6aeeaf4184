/* See check.h; also the function that the harness provides to implementations. */
#include "check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "native.h"

void draw(uint8_t *bytes, size_t count)
{
    static uint32_t x = 0x2545f491;

    for (size_t i = 0; i < count; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        bytes[i] = (uint8_t)(x >> 11);
    }
}

static _Noreturn void leave(const char *kind, int status, const char *format, va_list arguments)
{
    printf("%s ", kind);
    vprintf(format, arguments);
    printf("\n");
    exit(status);
}

void different(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    leave("different", 1, format, arguments);
}

void ciphermark_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    leave("error", EXIT_FAILED, format, arguments);
}

void describe_or_leave(void)
{
    const char *why = ciphermark_unavailable ? ciphermark_unavailable() : NULL;

    if (why) {
        printf("unavailable %s\n", why);
        exit(EXIT_UNAVAILABLE);
    }
    if (ciphermark_described)
        printf("described %s\n", ciphermark_described());
    const char *driver;
    for (unsigned number = 0; ciphermark_driver && (driver = ciphermark_driver(number)); number++)
        printf("driver %s\n", driver);
}
