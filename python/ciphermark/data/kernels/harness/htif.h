/* Host-target interface: the one way out of the machine, the same under every engine. */
#ifndef CIPHERMARK_HTIF_H
#define CIPHERMARK_HTIF_H

#include <stdint.h>

void htif_putc(char c);
void htif_exit(uint32_t code) __attribute__((noreturn));

#endif
