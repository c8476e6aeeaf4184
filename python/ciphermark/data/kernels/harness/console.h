/* Result lines: a letter, then hexadecimal numbers or bytes. Short, because every character is a host call. */
#ifndef CIPHERMARK_CONSOLE_H
#define CIPHERMARK_CONSOLE_H

#include <stdint.h>

void line_begin(char kind);
void line_number(uint64_t value);
void line_bytes(const uint8_t *bytes, uint32_t count);
void line_end(void);

#endif
