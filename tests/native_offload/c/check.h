/* What the checking programs share: random bytes from a fixed seed, and the ways to end. */
#ifndef CIPHERMARK_TESTS_CHECK_H
#define CIPHERMARK_TESTS_CHECK_H

#include <stddef.h>
#include <stdint.h>

/* Status of a program whose implementation cannot run here, and of one that called ciphermark_fail. */
#define EXIT_UNAVAILABLE 4
#define EXIT_FAILED 3

void draw(uint8_t *bytes, size_t count);

/* Prints "different ..." and exits 1. */
_Noreturn void different(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints "described ..." and "driver ..." for each, or "unavailable ..." and exits. */
void describe_or_leave(void);

#endif
