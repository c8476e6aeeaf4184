/*
 * Compares an implementation of chacha20.h with the portable one (compiled with its functions named reference_*): every
 * length up to a few hundred, lengths around the widths of vectors, alignments, in place, and block numbers that wrap.
 *
 * `chacha20_check` prints "ok CALLS", or one line that names the first difference, and exits 1.
 */
#include <stdio.h>
#include <string.h>

#include "chacha20.h"
#include "check.h"

#define LARGEST 70000
#define SLACK 64

void reference_encrypt(uint8_t *out, const uint8_t *in, size_t bytes, const uint8_t *key, const uint8_t *iv);

static uint8_t source[LARGEST], wanted[LARGEST], in_area[LARGEST + 2 * SLACK], out_area[LARGEST + 2 * SLACK];
static unsigned long calls;

static void check(size_t bytes, unsigned align, int in_place, uint32_t number)
{
    uint8_t key[33], iv[17], key_before[33], iv_before[17];
    uint8_t *out = out_area + SLACK + align % 7, *in = in_place ? out : in_area + align;

    draw(key, sizeof key);
    draw(iv, sizeof iv);
    memcpy(iv + 1, &number, 4);
    memcpy(key_before, key, sizeof key);
    memcpy(iv_before, iv, sizeof iv);
    draw(source, bytes);
    memset(out_area, 0xa5, sizeof out_area);
    memcpy(in, source, bytes);
    reference_encrypt(wanted, source, bytes, key + 1, iv + 1);
    chacha20_encrypt(out, in, bytes, key + 1, iv + 1);
    calls++;

    const char *what = memcmp(out, wanted, bytes)                     ? "output"
                       : memcmp(key, key_before, 33)                  ? "key changed"
                       : memcmp(iv, iv_before, 17)                    ? "iv changed"
                       : !in_place && memcmp(in, source, bytes)       ? "input changed"
                       : out[-1] != 0xa5 || out[bytes] != 0xa5        ? "written outside"
                                                                      : NULL;
    if (what)
        different("%s: %zu bytes, alignment %u%s, block %#x", what, bytes, align, in_place ? ", in place" : "", number);
}

int main(void)
{
    describe_or_leave();
    for (size_t bytes = 0; bytes < LARGEST; bytes += bytes < 1100 ? 1 : bytes < 4300 ? 37 : 997) {
        uint32_t numbers[] = {0, 1, 0xffffffff - (uint32_t)(bytes / 128), 0xfffffff0};
        for (unsigned i = 0; i < 4; i++)
            check(bytes, (unsigned)(bytes * 3 + i) % SLACK * (i != 1), i & 1, numbers[i]);
    }
    printf("ok %lu\n", calls);
    return 0;
}
