/* SPDX-License-Identifier: Apache-2.0
 *
 * strtod, strtof and atof: exactly rounded results, ends and special values; libm results that are exact.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void show(double v) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    printf("%016llx ", (unsigned long long)(v != v ? 0x7ff8000000000000ULL : bits));
}

static const char *texts[] = {"0",
                              "-0",
                              "1",
                              "1.5",
                              ".5",
                              "5.",
                              "  +2.25e3x",
                              "1e",
                              "1e+",
                              "1e400",
                              "-1e400",
                              "1e-400",
                              "4.9e-324",
                              "2.4e-324",
                              "2.5e-324",
                              "0.1",
                              "0.2",
                              "0.30000000000000004",
                              "123456789012345678901234567890",
                              "9007199254740993",
                              "9007199254740992.9999999",
                              "1.7976931348623157e308",
                              "1.7976931348623159e308",
                              "2.2250738585072011e-308",
                              "2.2250738585072014e-308",
                              "0x1.8p3",
                              "0x.1p-4",
                              "0x1p-1074",
                              "inf",
                              "-Infinity",
                              "nan",
                              "infx",
                              "",
                              "abc",
                              ".",
                              "-.e1",
                              "00012.5000",
                              "3.14159265358979323846264338327950288",
                              "1e23",
                              "8.5e22"};

int main(void) {
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *end;
        show(strtod(texts[i], &end));
        printf("%d ", (int)(end - texts[i]));
        float f = strtof(texts[i], &end);
        show((double)f);
        printf("%d\n", (int)(end - texts[i]));
    }
    show(atof("2.5")), show(atof("none"));
    printf("\n");
    for (int i = 0; i < 40; i++) {
        char text[40];
        volatile double v = ldexp(1.0 + i / 7.0, i * 11 - 200);
        snprintf(text, sizeof text, "%.17g", v);
        printf("%d", strtod(text, NULL) == v);
    }
    printf("\n");
    volatile double x = 2.75, y = -7.5, z = 2.0;
    int exponent;
    double whole;
    show(fmod(y, z)), show(remainder(y, z)), show(fmin(x, y)), show(fmax(x, y)), show(fdim(x, y)), show(copysign(x, y));
    show(frexp(x, &exponent)), show(modf(y, &whole)), show(whole), show(ldexp(x, -3)), show(scalbn(x, 5)),
        show(hypot(3.0 * z, 4.0 * z));
    printf("%d %ld %ld %lld\n", exponent, lround(y), lrint(x), llround(x));
    show(pow(z, 10.0)), show(pow(z, -3.0)), show(exp2(z)), show(cbrt(z * 4)), show(log2(z * 16)), show(fma(x, y, z));
    show(sqrt(z)), show(sin(0.0 * z)), show(cos(0.0 * z)), show(exp(0.0 * z)), show(nextafter(z, 3.0));
    printf("\n%.15g %.15g %.15g %.15g %.15g %.15g\n", sin(x), cos(x), tan(x), atan2(y, x), exp(x), log(x));
    printf("%.15g %.15g %.15g %.15g %.15g %.15g\n", sinh(x), tanh(x), asin(1 / x), acos(1 / x), log10(x), log1p(x));
    printf("%.6g %.6g %.6g\n", (double)sinf((float)x), (double)sqrtf((float)x), (double)powf((float)x, 1.5f));
    return 0;
}
