// Formatting and arithmetic of floating point, sorting, conversions of text.
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

int main(void) {
    double special[] = {0.0, -0.0, 1.0 / 3, 0.1, 1e300, 5e-324, DBL_MAX, DBL_MIN, INFINITY, -INFINITY, 123456789.125};
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        printf("%g %.17g %a %e %f %10.3f|%-12.2e|%d\n", special[i], special[i], special[i], special[i], special[i],
               special[i], special[i], isfinite(special[i]));
    printf("%Lf %.30Lg\n", 1.0L / 3, 2.0L / 7);
    double values[1000];
    uint64_t state = 42;
    for (int i = 0; i < 1000; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        values[i] = (double)(int64_t)state / 3e15;
    }
    qsort(values, 1000, sizeof *values, compare);
    double sum = 0;
    for (int i = 0; i < 1000; i++) {
        sum += sqrt(fabs(values[i])) * sin(values[i]) + exp(-fabs(values[i]) / 1000);
        if (i % 100 == 0) printf("%.15g\n", values[i]);
    }
    printf("%.17g %.17g %.9g\n", sum, fma(sum, 3.0, -1.0), (double)powf(1.7f, 3.3f));
    char *end;
    printf("%.17g %s %ld %lu %d\n", strtod("0x1.8p-3 rest", &end), end, strtol("-0777", NULL, 8),
           strtoul("99999999999999999999999", NULL, 10), errno == ERANGE);
    printf("%d %u %lld %llx %#o %+d|%-5d|%05d|%s|%.3s|%c\n", -1, 3000000000u, -9000000000000000000LL, ~0ULL, 8, 7, 6,
           5, "text", "truncated", 'x');
    double d;
    int n = sscanf("3.25e2 17", "%lf", &d);
    printf("%d %g %lld %d\n", n, d, (long long)-7.9, (int)lrint(2.5));
    return 42;
}
