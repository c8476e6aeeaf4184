/*
 * Result lines: a letter, then hexadecimal numbers or bytes. Short, because every character is a host call. The last line
 * of a run that came to its end carries the digest of all before it, under the job's nonce.
 */
#ifndef CIPHERMARK_CONSOLE_H
#define CIPHERMARK_CONSOLE_H

#include <stdint.h>

/* From here on lines count for the digest. */
void console_begin(const uint32_t nonce[4]);

void line_begin(char kind);
void line_number(uint64_t value);
void line_bytes(const uint8_t *bytes, uint32_t count);
void line_end(void);

/* ` digest` of every line before this one, and this line's end. */
void line_end_transcript(void);

#endif
