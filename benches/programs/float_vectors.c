/*
 * Loops over floating-point arrays that compilers vectorise, in single and double precision: a*x + y, a sum of products,
 * a product of matrices, a polynomial, and comparisons that select among quotients.
 */
#include "work.h"

/* Sums may be taken in any order and products fused, or they would not be vectors. */
#pragma clang fp reassociate(on) contract(fast)

enum { N = 1000, M = 32 };

static OWN float x[N], y[N];
static OWN double u[N], v[N];
static OWN float a[M][M], b[M][M], c[M][M];

static void fill(void)
{
    uint32_t state = 0x12345678;

    for (int i = 0; i < N; i++) {
        x[i] = (float)(int32_t)next_random(&state) * 0x1p-31f;
        y[i] = (float)(int32_t)next_random(&state) * 0x1p-31f;
        u[i] = (double)(int32_t)next_random(&state) * 0x1p-31;
        v[i] = 0;
    }
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++) {
            a[i][j] = (float)(int32_t)next_random(&state) * 0x1p-34f;
            b[i][j] = (float)(int32_t)next_random(&state) * 0x1p-34f;
        }
}

__attribute__((noinline)) static void saxpy(float factor)
{
    for (int i = 0; i < N; i++)
        y[i] = factor * x[i] + y[i] * 0.5f;
}

__attribute__((noinline)) static float dot(void)
{
    float sum = 0;

    for (int i = 0; i < N; i++)
        sum += x[i] * y[i];
    return sum;
}

__attribute__((noinline)) static void multiply(void)
{
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < M; j++)
            c[i][j] = 0;
        for (int k = 0; k < M; k++)
            for (int j = 0; j < M; j++)
                c[i][j] += a[i][k] * b[k][j];
    }
}

/* Estrin's or Horner's scheme, as the compiler likes; about e^u. */
__attribute__((noinline)) static void polynomial(void)
{
    for (int i = 0; i < N; i++)
        v[i] = 1 + u[i] * (1 + u[i] * (0x1p-1 + u[i] * (0x1.5555555555555p-3 + u[i] * 0x1.5555555555555p-5)));
}

__attribute__((noinline)) static void quotients(void)
{
    for (int i = 0; i < N; i++) {
        float square = x[i] * x[i] + y[i] * y[i];

        y[i] = square < 1 ? square : 1 / square;
    }
}

uint32_t work(uint64_t rounds)
{
    float total = 0;

    fill();
    for (uint64_t round = 0; round < rounds; round++) {
        saxpy(0.75f);
        total = total * 0.5f + dot();
        multiply();
        a[round % M][round / M % M] = c[0][0] * 0.25f + total * 0x1p-10f;
        polynomial();
        u[round % N] = v[N - 1 - round % N] * 0.25;
        quotients();
    }

    uint32_t sum = checksum(CHECKSUM_START, &total, sizeof total);
    sum = checksum(sum, y, sizeof y);
    sum = checksum(sum, v, sizeof v);
    return checksum(sum, c, sizeof c);
}
