/* The stand-in's drivers. */
#ifndef CIPHERMARK_TESTS_FAKE_DRIVERS_H
#define CIPHERMARK_TESTS_FAKE_DRIVERS_H

#include "fake_kernel.h"

/* By its name, or the best of an algorithm; NULL if there is none. All of them, up to one without name, for NULL. */
struct driver *fake_driver(const char *name);

#endif
