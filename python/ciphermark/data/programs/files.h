/*
 * Files as these programs use them: whole in memory, read and written in pieces by plain `read` and `write`, because
 * simulators that emulate system calls may lack others (gem5 v24.0 has no `readv`).
 */
#ifndef CIPHERMARK_PROGRAMS_FILES_H
#define CIPHERMARK_PROGRAMS_FILES_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint8_t *bytes;
    size_t size;
} contents;

/* All of these end the program with status 2 and a line on standard error if they cannot do their work. */

/* `bytes` of zeros. */
uint8_t *take_memory(size_t bytes);
contents read_file(const char *path);
/* A new file, or an old one without its contents. */
int create_file(const char *path);
void write_all(int file, const uint8_t *bytes, size_t size);
_Noreturn void fail(const char *what, const char *why);
/* A decimal number; `what` it is for the message. */
size_t parse_number(const char *what, const char *text);

#endif
