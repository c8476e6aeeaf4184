/* Floating point in small programs, of one precision: filters, roots, matrices, fractals, conversions. */

#include "without_library.h"

#define AWAY __attribute__((noinline))

#ifdef DOUBLE
typedef double real;
#define WORD unsigned long long
#else
typedef float real;
#define WORD unsigned
#endif

static WORD bits(real value)
{
    union { real value; WORD bits; } both = {value};
    return both.bits;
}

AWAY static real root(real value)
{
    real guess = value;
    for (int step = 0; step < 20; step++)
        guess = (guess + value / guess) / 2;
    return guess;
}

AWAY static real built_in_root(real value)
{
#ifdef DOUBLE
    return __builtin_sqrt(value);
#else
    return __builtin_sqrtf(value);
#endif
}

AWAY static real exponential(real x)
{
    real sum = 1, term = 1;
    for (int n = 1; n < 20; n++) {
        term *= x / n;
        sum += term;
    }
    return sum;
}

AWAY static int fractal(real x, real y)
{
    real a = 0, b = 0;
    for (int step = 0; step < 100; step++) {
        real square = a * a - b * b + x;
        b = 2 * a * b + y;
        a = square;
        if (a * a + b * b > 4)
            return step;
    }
    return 100;
}

AWAY static real filtered(const real *samples, int count)
{
    static const real taps[5] = {(real)0.1, (real)-0.25, (real)0.7, (real)-0.25, (real)0.1};
    real energy = 0;
    for (int at = 4; at < count; at++) {
        real sum = 0;
        for (int tap = 0; tap < 5; tap++)
            sum += taps[tap] * samples[at - tap];
        energy += sum * sum;
    }
    return energy;
}

AWAY static real determinant(real m[5][5])
{
    real product = 1;
    for (int pivot = 0; pivot < 5; pivot++) {
        product *= m[pivot][pivot];
        for (int row = pivot + 1; row < 5; row++) {
            real factor = m[row][pivot] / m[pivot][pivot];
            for (int column = pivot; column < 5; column++)
                m[row][column] -= factor * m[pivot][column];
        }
    }
    return product;
}

AWAY static real planets(int steps)
{
    real place[3][2] = {{0, 0}, {1, 0}, {-2, (real)0.5}}, speed[3][2] = {{0, 0}, {0, 1}, {(real)0.2, (real)-0.6}};
    static const real mass[3] = {1, (real)0.01, (real)0.02};
    for (int step = 0; step < steps; step++) {
        for (int one = 0; one < 3; one++) {
            for (int other = 0; other < 3; other++) {
                if (one == other)
                    continue;
                real x = place[other][0] - place[one][0], y = place[other][1] - place[one][1];
                real square = x * x + y * y, distance = root(square);
                speed[one][0] += mass[other] * x / (square * distance) / 100;
                speed[one][1] += mass[other] * y / (square * distance) / 100;
            }
        }
        for (int one = 0; one < 3; one++) {
            place[one][0] += speed[one][0] / 100;
            place[one][1] += speed[one][1] / 100;
        }
    }
    return place[1][0] * place[2][1] - place[1][1] * place[2][0];
}

AWAY static int compared(real a, real b)
{
    real least = a < b ? a : b;
    return (a < b) | (a <= b) << 1 | (a == b) << 2 | (a > b) << 3 | (a != a) << 4 | (least == a) << 5;
}

static void run(void)
{
    real samples[64], matrix[5][5];
    volatile real zero = 0, large = (real)1e30;
    for (int at = 0; at < 64; at++)
        samples[at] = (real)((at * 37 % 64) - 32) / 7;
    for (int row = 0; row < 5; row++)
        for (int column = 0; column < 5; column++)
            matrix[row][column] = (real)(row * column % 7 + (row == column ? 5 : 1)) / 3;
    show("root", bits(root(2)));
    show("built-in", bits(built_in_root(large)));
    show("exponential", bits(exponential((real)1.25)));
    int inside = 0;
    for (int y = -8; y <= 8; y++)
        for (int x = -16; x <= 8; x++)
            inside += fractal((real)x / 8, (real)y / 8);
    show("fractal", (unsigned)inside);
    show("filtered", bits(filtered(samples, 64)));
    show("determinant", bits(determinant(matrix)));
    show("planets", bits(planets(200)));
    show("infinite", bits(large * large));
    show("not a number", bits(zero / zero));
    show("compared", (unsigned)(compared(zero, -zero) | compared(zero / zero, 1) << 8 | compared(-large, 2) << 16));
    show("to integer", (unsigned)(int)(samples[5] * 1000));
    show("to unsigned", (unsigned)(large / (real)1e25));
    show("to a word", (word_t)(long)(samples[9] * (real)1e8));
    show("from a word", bits((real)((word_t)0x9abcdef0 + (word_t)zero)));
    unsigned flags;
    __asm__ volatile("csrr %0, fflags" : "=r"(flags));
    show("flags", flags);
}
