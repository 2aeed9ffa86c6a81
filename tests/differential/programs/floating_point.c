/* SPDX-License-Identifier: Apache-2.0
 *
 * Float and double: arithmetic on edge values, comparisons, conversions, classification.
 */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static volatile double doubles[] = {0.0,    -0.0,    1.0,        -1.0,     0.1,        1.0 / 3,  1e308,
                                    -1e308, DBL_MIN, DBL_MAX,    4.9e-324, 2.5e-310,   INFINITY, -INFINITY,
                                    NAN,    1e15,    123456.789, -0.5,     DBL_EPSILON};
static volatile float floats[] = {0.0f,    -0.0f,  1.0f,     -1.5f,     0.1f, 1e38f,       -3e38f,   FLT_MIN,
                                  FLT_MAX, 1e-45f, INFINITY, -INFINITY, NAN,  16777217.0f, 0.333333f};
enum { DOUBLES = sizeof doubles / sizeof *doubles, FLOATS = sizeof floats / sizeof *floats };

/* The sign and payload of a computed NaN are not part of IEEE 754's promise. */
static void show(double v) {
    if (v != v) {
        printf(" nan");
        return;
    }
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    printf(" %016llx", (unsigned long long)bits);
}

static void show_float(float v) {
    if (v != v) {
        printf(" nan");
        return;
    }
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    printf(" %08x", bits);
}

static void classify(double v) {
    printf(" %d%d%d%d%d", !!isnan(v), !!isinf(v), !!isfinite(v), !!isnormal(v), v != v ? 0 : !!signbit(v));
}

int main(void) {
    for (int i = 0; i < DOUBLES; i++) {
        for (int j = 0; j < DOUBLES; j++) {
            double a = doubles[i], b = doubles[j];
            show(a + b), show(a - b), show(a * b), show(a / b);
            printf(" %d%d%d%d%d%d %d\n", a<b, a <= b, a> b, a >= b, a == b, a != b, isunordered(a, b));
        }
    }
    for (int i = 0; i < DOUBLES; i++) {
        double a = doubles[i];
        show(-a), show((double)(float)a), show_float((float)a), show(fabs(a)), show(sqrt(fabs(a)));
        show(floor(a)), show(ceil(a)), show(trunc(a)), show(round(a)), show(rint(a));
        classify(a);
        printf(" %d %d %d\n", !a, a ? 1 : 2, a && 1);
    }
    for (int i = 0; i < FLOATS; i++) {
        for (int j = 0; j < FLOATS; j++) {
            float a = floats[i], b = floats[j];
            show_float(a + b), show_float(a - b), show_float(a * b), show_float(a / b);
            printf(" %d%d%d%d\n", a < b, a >= b, a == b, a != b);
        }
        show((double)floats[i]), show_float(-floats[i]), show_float(floats[i] * floats[i] + floats[i]);
        printf("\n");
    }
    static const double convertible[] = {0.0, -0.9, 0.9, 1.5, -1.5, 2.5, 100.99, -100.99};
    for (unsigned i = 0; i < sizeof convertible / sizeof *convertible; i++) {
        volatile double v = convertible[i];
        printf("%d %d %d %lld", (signed char)v, (short)v, (int)v, (long long)v);
        if (v >= 0) printf(" %u %u %llu", (unsigned char)v, (unsigned)v, (unsigned long long)v);
        printf(" %d\n", (_Bool)v);
    }
    static const long long integers[] = {0,         1,         -1,       1LL << 53, (1LL << 53) + 1, -(1LL << 53) - 1,
                                         INT64_MAX, INT64_MIN, 123456789};
    for (unsigned i = 0; i < sizeof integers / sizeof *integers; i++) {
        volatile long long v = integers[i];
        show((double)v), show_float((float)v), show((double)(unsigned long long)v),
            show_float((float)(unsigned long long)v);
        show((double)(int)v), show_float((float)(unsigned)v);
        printf("\n");
    }
    volatile double big = 1.8e19, near = 9223372036854774784.0;
    printf("%llu %lld %u\n", (unsigned long long)big, (long long)near, (unsigned)4294967295.0);
    double sum = 0;
    float float_sum = 0;
    for (int i = 1; i < 1000; i++) sum += 1.0 / i, float_sum += 1.0f / (float)i;
    show(sum), show_float(float_sum);
    printf("\n");
    return 0;
}
