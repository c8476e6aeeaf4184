/* Loops that compilers vectorise. Each prints a hash of all it computed and the exception flags that it raised. */

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { N = 1000, M = 24 };

typedef struct { float re, im; } complex32;

static float fa[N], fb[N], fc[N];
static double da[N], db[N], dc[N];
static int32_t ia[N], ib[N], ic[N];
static uint8_t ba[N], bb[N];
static int16_t sa[N], sb[N];
static uint64_t la[N];
static float ma[M][M], mb[M][M], mc[M][M];
static complex32 za[N], zb[N];
#ifdef HALF
static _Float16 ha[N], hb[N];
#endif

static uint32_t state;

static uint32_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

static void fill(void)
{
    state = 0x12345678;
    for (int i = 0; i < N; i++) {
        fa[i] = (float)(int32_t)draw() / 65536.0f;
        fb[i] = (float)(int32_t)draw() / 1048576.0f;
        fc[i] = 0;
        da[i] = (double)(int32_t)draw() / 4096.0;
        db[i] = (double)(int32_t)draw() * 1.0e-3;
        dc[i] = 0;
        ia[i] = (int32_t)draw();
        ib[i] = (int32_t)draw() % 1000;
        ic[i] = 0;
        ba[i] = (uint8_t)draw();
        bb[i] = (uint8_t)draw();
        sa[i] = (int16_t)draw();
        sb[i] = (int16_t)draw();
        la[i] = (uint64_t)draw() << 32 | draw();
        za[i].re = fa[i];
        za[i].im = fb[i];
        zb[i].re = fb[i];
        zb[i].im = -fa[i];
#ifdef HALF
        ha[i] = (_Float16)(fb[i] / 64.0f);
        hb[i] = (_Float16)(fa[i] / 1024.0f);
#endif
    }
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++) {
            ma[i][j] = fa[i * M + j];
            mb[i][j] = fb[i * M + j];
            mc[i][j] = 0;
        }
}

static uint64_t hash(const void *data, size_t size)
{
    const uint8_t *bytes = data;
    uint64_t value = 0xcbf29ce484222325;
    for (size_t i = 0; i < size; i++)
        value = (value ^ bytes[i]) * 0x100000001b3;
    return value;
}

#define LOOP(name) static __attribute__((noinline)) void name(void)
#define EACH for (int i = 0; i < N; i++)

LOOP(saxpy) { EACH fc[i] = 2.5f * fa[i] + fb[i]; }
LOOP(daxpy) { EACH dc[i] = 2.5 * da[i] + db[i]; }
LOOP(triad) { EACH fc[i] = fa[i] + 3.0f * fb[i]; }
LOOP(divide) { EACH fc[i] = fa[i] / fb[i]; }
LOOP(divide_double) { EACH dc[i] = da[i] / db[i]; }
LOOP(roots) { EACH fc[i] = sqrtf(fabsf(fa[i])); }
LOOP(roots_double) { EACH dc[i] = sqrt(fabs(da[i])); }
LOOP(reciprocals) { EACH fc[i] = 1.0f / fa[i]; }
LOOP(norms) { EACH fc[i] = sqrtf(fa[i] * fa[i] + fb[i] * fb[i]); }
LOOP(polynomial) { EACH dc[i] = ((0.5 * da[i] - 1.25) * da[i] + 3.0) * da[i] - 7.0; }
LOOP(clamp) { EACH fc[i] = fa[i] < -100.0f ? -100.0f : fa[i] > 100.0f ? 100.0f : fa[i]; }
LOOP(select_by_compare) { EACH fc[i] = fa[i] > fb[i] ? fa[i] : fb[i] * 2.0f; }
LOOP(copy_signs) { EACH fc[i] = copysignf(fa[i], fb[i]); }
LOOP(to_integers) { EACH ic[i] = (int32_t)fb[i]; }
LOOP(to_floats) { EACH fc[i] = (float)ia[i]; }
LOOP(to_doubles) { EACH dc[i] = fa[i]; }
LOOP(to_singles) { EACH fc[i] = (float)da[i]; }
LOOP(from_bytes) { EACH fc[i] = (float)ba[i] * 0.5f; }
LOOP(to_shorts) { EACH sa[i] = (int16_t)(fb[i]); }
LOOP(from_longs) { EACH dc[i] = (double)la[i]; }
LOOP(mixed_widths) { EACH dc[i] = (double)fa[i] * (double)fb[i] + dc[i]; }
LOOP(strided) { for (int i = 0; i < N / 4; i++) fc[i] = fa[4 * i] - fb[2 * i]; }
LOOP(reversed) { EACH fc[i] = fa[N - 1 - i] * 0.5f; }
LOOP(gathered) { EACH fc[i] = fa[(uint32_t)ia[i] % N]; }
LOOP(scattered) { EACH fc[(i * 7) % N] = fa[i]; }
LOOP(neighbours) { for (int i = 1; i < N - 1; i++) fc[i] = (fa[i - 1] + fa[i] + fa[i + 1]) / 3.0f; }
LOOP(complex_product)
{
    EACH {
        zb[i].re = za[i].re * zb[i].re - za[i].im * zb[i].im;
        zb[i].im = za[i].re * zb[i].im + za[i].im * zb[i].re;
    }
}
LOOP(matrix_product)
{
    for (int i = 0; i < M; i++)
        for (int k = 0; k < M; k++)
            for (int j = 0; j < M; j++)
                mc[i][j] += ma[i][k] * mb[k][j];
}
LOOP(transpose)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++)
            mc[j][i] = ma[i][j];
}
LOOP(mandelbrot)
{
    EACH {
        float x = 0, y = 0, cx = fb[i] / 1024.0f, cy = fa[i] / 32768.0f;
        int count = 0;
        for (int step = 0; step < 20; step++) {
            float next = x * x - y * y + cx;
            y = 2.0f * x * y + cy;
            x = next;
            count += x * x + y * y < 4.0f;
        }
        ic[i] = count;
    }
}
LOOP(dot)
{
    float sum = 0;
    EACH sum += fa[i] * fb[i];
    fc[0] = sum;
}
LOOP(dot_double)
{
    double sum = 0;
    EACH sum += da[i] * db[i];
    dc[0] = sum;
}
LOOP(sum_of_singles)
{
    double sum = 0;
    EACH sum += fa[i];
    dc[0] = sum;
}
LOOP(largest)
{
    float found = fa[0];
    EACH found = fa[i] > found ? fa[i] : found;
    fc[0] = found;
}
LOOP(softmax)
{
    float most = fb[0], sum = 0;
    EACH most = fb[i] > most ? fb[i] : most;
    EACH fc[i] = expf((fb[i] - most) / 256.0f);
    EACH sum += fc[i];
    EACH fc[i] /= sum;
}
LOOP(fourier)
{
    static float re[256], im[256];
    for (int i = 0; i < 256; i++) {
        re[i] = fb[i];
        im[i] = 0;
    }
    for (int half = 1; half < 256; half *= 2)
        for (int start = 0; start < 256; start += 2 * half)
            for (int k = 0; k < half; k++) {
                float angle = -3.14159265f * (float)k / (float)half;
                float c = cosf(angle), s = sinf(angle);
                int a = start + k, b = a + half;
                float tr = re[b] * c - im[b] * s, ti = re[b] * s + im[b] * c;
                re[b] = re[a] - tr;
                im[b] = im[a] - ti;
                re[a] += tr;
                im[a] += ti;
            }
    memcpy(fc, re, sizeof re);
    memcpy(fc + 256, im, sizeof im);
}
LOOP(histogram)
{
    EACH ic[ba[i]]++;
}
LOOP(prefix)
{
    float sum = 0;
    EACH {
        sum += fb[i];
        fc[i] = sum;
    }
}
LOOP(saturating)
{
    EACH {
        int sum = sa[i] + sb[i];
        sa[i] = (int16_t)(sum > 32767 ? 32767 : sum < -32768 ? -32768 : sum);
    }
}
LOOP(differences)
{
    int sum = 0;
    EACH sum += ba[i] > bb[i] ? ba[i] - bb[i] : bb[i] - ba[i];
    ic[0] = sum;
}
LOOP(bytes_until)
{
    size_t length = 0;
    while (length < N - 1 && ba[length] != 7)
        length++;
    ic[0] = (int32_t)length;
}
LOOP(rotations) { EACH la[i] = la[i] << 13 | la[i] >> 51; }
LOOP(conditional_store)
{
    EACH if (ia[i] > 0) fc[i] = fa[i] + 1.0f;
}
#ifdef HALF
LOOP(half_multiply_add) { EACH ha[i] = ha[i] * hb[i] + (_Float16)1.5; }
LOOP(half_to_single) { EACH fc[i] = (float)ha[i] * 2.0f; }
LOOP(single_to_half) { EACH hb[i] = (_Float16)fb[i]; }
LOOP(half_compare) { EACH ha[i] = ha[i] < hb[i] ? ha[i] : hb[i] / (_Float16)3; }
#endif

static void report(const char *name, void (*loop)(void))
{
    unsigned flags;
    fill();
    __asm__ volatile("fsflags zero" ::: "memory");
    loop();
    __asm__ volatile("frflags %0" : "=r"(flags)::"memory");
    uint64_t all = hash(fc, sizeof fc) + 3 * hash(dc, sizeof dc) + 5 * hash(ic, sizeof ic) + 7 * hash(sa, sizeof sa)
        + 11 * hash(la, sizeof la) + 13 * hash(mc, sizeof mc) + 17 * hash(zb, sizeof zb);
#ifdef HALF
    all += 19 * hash(ha, sizeof ha) + 23 * hash(hb, sizeof hb);
#endif
    printf("%s %016llx %02x\n", name, (unsigned long long)all, flags);
}

#define REPORT(name) report(#name, name)

int main(void)
{
    REPORT(saxpy); REPORT(daxpy); REPORT(triad); REPORT(divide); REPORT(divide_double); REPORT(roots);
    REPORT(roots_double); REPORT(reciprocals); REPORT(norms); REPORT(polynomial); REPORT(clamp);
    REPORT(select_by_compare); REPORT(copy_signs); REPORT(to_integers); REPORT(to_floats); REPORT(to_doubles);
    REPORT(to_singles); REPORT(from_bytes); REPORT(to_shorts); REPORT(from_longs); REPORT(mixed_widths);
    REPORT(strided); REPORT(reversed); REPORT(gathered); REPORT(scattered); REPORT(neighbours);
    REPORT(complex_product); REPORT(matrix_product); REPORT(transpose); REPORT(mandelbrot); REPORT(dot);
    REPORT(dot_double); REPORT(sum_of_singles); REPORT(largest); REPORT(softmax); REPORT(fourier);
    REPORT(histogram); REPORT(prefix); REPORT(saturating); REPORT(differences); REPORT(bytes_until);
    REPORT(rotations); REPORT(conditional_store);
#ifdef HALF
    REPORT(half_multiply_add); REPORT(half_to_single); REPORT(single_to_half); REPORT(half_compare);
#endif
    return 0;
}
