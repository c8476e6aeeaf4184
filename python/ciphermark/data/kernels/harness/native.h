/*
 * What an implementation for the machine in front of the user (`[native.*]` in its manifest) may define and call,
 * beside the functions of its family. The first three are optional: the harness looks for them.
 */
#ifndef CIPHERMARK_NATIVE_H
#define CIPHERMARK_NATIVE_H

/*
 * NULL if the implementation can run here, else in one line why not and what mends it, for instance
 * "libcrypto.so not found; install libssl3". Called once, before anything else of the implementation.
 */
const char *ciphermark_unavailable(void) __attribute__((weak));

/* What runs, in one line: "OpenSSL 3.0.19". Called once, after ciphermark_unavailable returned NULL. */
const char *ciphermark_described(void) __attribute__((weak));

/*
 * What the kernel bound for each mode: "cbc cbc-aes-ce 300", the mode as algorithms here name it, the driver and its
 * priority; NULL for a `number` beyond the last. Called after ciphermark_described, from 0 on.
 */
const char *ciphermark_driver(unsigned number) __attribute__((weak));

/*
 * Ends the run with the line "error ..." and status 3. For a call that cannot do its work: it must neither return
 * wrong data nor hang. `format` is printf's; one line, without its end. An errno stands there by symbol and text.
 */
void ciphermark_fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

#endif
