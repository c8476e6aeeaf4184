#include "console.h"

#include "platform.h"

static void put_digit(uint32_t digit)
{
    platform_putc("0123456789abcdef"[digit & 15]);
}

void line_begin(char kind)
{
    platform_putc(kind);
}

void line_number(uint64_t value)
{
    uint32_t half[2] = {(uint32_t)value, (uint32_t)(value >> 32)};
    int started = 0;
    platform_putc(' ');
    for (int word = 1; word >= 0; word--) {
        for (int shift = 28; shift >= 0; shift -= 4) {
            uint32_t digit = half[word] >> shift & 15;
            if (digit || started || (word == 0 && shift == 0)) {
                put_digit(digit);
                started = 1;
            }
        }
    }
}

void line_bytes(const uint8_t *bytes, uint32_t count)
{
    platform_putc(' ');
    if (count == 0)
        platform_putc('-');
    for (uint32_t i = 0; i < count; i++) {
        put_digit(bytes[i] >> 4);
        put_digit(bytes[i]);
    }
}

void line_end(void)
{
    platform_putc('\n');
}
