/* Small functions of embedded programs, which save many registers: sorting, searching, coding, recursion. */

#include "without_library.h"

#define AWAY __attribute__((noinline))

static unsigned seed = 12345;

AWAY static unsigned next(void)
{
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8;
}

AWAY static unsigned mix(unsigned a, unsigned b, unsigned c)
{
    return (a ^ b << 7 ^ b >> 25) + c * 2654435761u;
}

AWAY static unsigned checksum(const unsigned char *bytes, unsigned count)
{
    unsigned crc = ~0u;
    for (unsigned at = 0; at < count; at++) {
        crc ^= bytes[at];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

AWAY static void sort(int *first, int *last)
{
    if (last - first < 2)
        return;
    int pivot = first[(last - first) / 2], *low = first, *high = last - 1;
    while (low <= high) {
        while (*low < pivot)
            low++;
        while (*high > pivot)
            high--;
        if (low <= high) {
            int swap = *low;
            *low++ = *high;
            *high-- = swap;
        }
    }
    sort(first, high + 1);
    sort(low, last);
}

AWAY static unsigned queens(unsigned all, unsigned columns, unsigned left, unsigned right)
{
    unsigned found = 0;
    if (columns == all)
        return 1;
    for (unsigned free = all & ~(columns | left | right); free != 0;) {
        unsigned bit = free & -free;
        free ^= bit;
        found += queens(all, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return found;
}

AWAY static unsigned ackermann(unsigned m, unsigned n)
{
    if (m == 0)
        return n + 1;
    return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

/* Everything is alive across every call. */
AWAY static unsigned many(unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned f, unsigned g)
{
    unsigned h = mix(a, b, c), i = mix(d, e, f), j = mix(g, h, i), k = mix(a ^ j, b, c), l = mix(d, e ^ k, f);
    for (unsigned round = 0; round < 5; round++) {
        a = mix(a, l, round);
        b = mix(b, a, k);
        c = mix(c, b, j);
        d = mix(d, c, i);
        e = mix(e, d, h);
        f = mix(f, e, g);
        g = mix(g, f, a);
    }
    return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h ^ i ^ j ^ k ^ l;
}

AWAY static int matrix(int n)
{
    int a[8][8], b[8][8], trace = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            a[i][j] = (int)(next() & 63) - 32;
            b[i][j] = (int)(next() & 63) - 32;
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            int sum = 0;
            for (int k = 0; k < n; k++)
                sum += a[i][k] * b[k][j];
            trace ^= sum << (i + j);
        }
    }
    return trace;
}

/* A machine of states, by a table of jumps. */
AWAY static unsigned interpret(const unsigned char *code, unsigned count)
{
    unsigned stack[16], depth = 0, value = 1;
    for (unsigned at = 0; at < count; at++) {
        switch (code[at] % 9) {
        case 0: value += code[at]; break;
        case 1: value *= 3; break;
        case 2: stack[depth++ & 15] = value; break;
        case 3: if (depth > 0) value ^= stack[--depth & 15]; break;
        case 4: value = mix(value, depth, at); break;
        case 5: value = value >> 3 | value << 29; break;
        case 6: value -= checksum(code, at & 7); break;
        case 7: value = many(value, 1, 2, 3, 4, 5, depth); break;
        default: value = ~value; break;
        }
    }
    return value;
}

AWAY static word_t wide(unsigned long long a, unsigned long long b)
{
    unsigned long long low = a * b, high = (a >> 32) * (b >> 32);
    return (word_t)(low ^ high ^ low >> 32);
}

static void run(void)
{
    unsigned char bytes[256];
    int numbers[100];
    unsigned order = 0;
    for (int at = 0; at < 256; at++)
        bytes[at] = (unsigned char)next();
    for (int at = 0; at < 100; at++)
        numbers[at] = (int)next() - (1 << 23);
    sort(numbers, numbers + 100);
    for (int at = 1; at < 100; at++)
        order += numbers[at - 1] <= numbers[at];
    show("sorted", order);
    show("least", (unsigned)numbers[0]);
    show("checksum", checksum(bytes, 256));
    show("queens", queens(127, 0, 0, 0));
    show("ackermann", ackermann(2, 9));
    show("many", many(1, 2, 3, 4, 5, 6, 7));
    show("matrix", (unsigned)matrix(8));
    show("interpreted", interpret(bytes, 256));
    show("wide", wide(0x123456789abcdefull, seed));
}
