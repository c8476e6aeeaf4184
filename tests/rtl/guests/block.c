/* ChaCha20's block function (RFC 8439, 2.3) with its state in variables. XOR_ROTATE(x, y, n) is (x ^ y) rotated left by
 * n: in C, or one instruction where UNIT gives the funct3 of custom-0. */
#include <stdint.h>

#ifdef UNIT
#define TEXT(x) #x
#define INSN(unit, n) ".insn r 0x0b, " TEXT(unit) ", " #n ", %0, %1, %2"
#define XOR_ROTATE(x, y, n)                                                             \
    ({                                                                                  \
        uint32_t rotated;                                                               \
        __asm__ volatile(INSN(UNIT, n) : "=r"(rotated) : "r"(x), "r"(y));               \
        rotated;                                                                        \
    })
#else
#define ROTATE(x, n) ((x) << (n) | (x) >> (32 - (n)))
#define XOR_ROTATE(x, y, n) (x ^= y, ROTATE(x, n))
#endif

#define QUARTER_ROUND(a, b, c, d)  \
    do {                           \
        a += b;                    \
        d = XOR_ROTATE(d, a, 16);  \
        c += d;                    \
        b = XOR_ROTATE(b, c, 12);  \
        a += b;                    \
        d = XOR_ROTATE(d, a, 8);   \
        c += d;                    \
        b = XOR_ROTATE(b, c, 7);   \
    } while (0)

void block(uint32_t out[16], const uint32_t in[16])
{
    uint32_t x[16];
    for (int i = 0; i < 16; i++)
        x[i] = in[i];
    for (int round = 0; round < 20; round += 2) {
        QUARTER_ROUND(x[0], x[4], x[8], x[12]);
        QUARTER_ROUND(x[1], x[5], x[9], x[13]);
        QUARTER_ROUND(x[2], x[6], x[10], x[14]);
        QUARTER_ROUND(x[3], x[7], x[11], x[15]);
        QUARTER_ROUND(x[0], x[5], x[10], x[15]);
        QUARTER_ROUND(x[1], x[6], x[11], x[12]);
        QUARTER_ROUND(x[2], x[7], x[8], x[13]);
        QUARTER_ROUND(x[3], x[4], x[9], x[14]);
    }
    for (int i = 0; i < 16; i++)
        out[i] = x[i] + in[i];
}
