/* What the harness needs of what it runs on: the bare machine, or a process of an operating system. */
#ifndef CIPHERMARK_PLATFORM_H
#define CIPHERMARK_PLATFORM_H

#include <stdint.h>

void platform_putc(char c);
void platform_exit(uint32_t code) __attribute__((noreturn));

/*
 * Where the schedule lies, 64-byte aligned: on the bare machine in the memory behind the buffers, `behind`; in a process
 * always at one place, because an implementation may keep a handle in it that the next expansion releases.
 */
uint8_t *platform_schedule(uint8_t *behind);

#endif
