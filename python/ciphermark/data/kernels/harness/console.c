#include "console.h"

#include "blake2s.h"
#include "platform.h"

static struct blake2s transcript, before;

static void put(char c)
{
    platform_putc(c);
    blake2s_add(&transcript, (const uint8_t *)&c, 1);
}

static void put_digit(uint32_t digit)
{
    put("0123456789abcdef"[digit & 15]);
}

void console_begin(const uint32_t nonce[4])
{
    blake2s_begin(&transcript, nonce);
}

void line_begin(char kind)
{
    before = transcript;
    put(kind);
}

void line_number(uint64_t value)
{
    uint32_t half[2] = {(uint32_t)value, (uint32_t)(value >> 32)};
    int started = 0;
    put(' ');
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
    put(' ');
    if (count == 0)
        put('-');
    for (uint32_t i = 0; i < count; i++) {
        put_digit(bytes[i] >> 4);
        put_digit(bytes[i]);
    }
}

void line_end(void)
{
    put('\n');
}

void line_end_transcript(void)
{
    uint8_t digest[DIGEST_BYTES];
    blake2s_digest(&before, digest);
    line_bytes(digest, sizeof digest);
    line_end();
}
