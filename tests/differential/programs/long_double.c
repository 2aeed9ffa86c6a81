/* SPDX-License-Identifier: Apache-2.0
 *
 * Long double (x87 on this target): arithmetic, conversion, printing.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static volatile long double values[] = {0.0L,     -0.0L,   1.0L, -1.5L, 0.1L,
                                        1e-4940L, 1e4930L, 3.0L, 1e19L, 18446744073709551615.0L};
enum { COUNT = sizeof values / sizeof *values };

static long double power(long double base, unsigned exponent) {
    return exponent == 0 ? 1.0L : base * power(base, exponent - 1);
}

int main(void) {
    for (int i = 0; i < COUNT; i++) {
        for (int j = 0; j < COUNT; j++) {
            long double a = values[i], b = values[j];
            printf("%.20Lg %.20Lg %.20Lg", a + b, a - b, a * b);
            if (b != 0) printf(" %.20Lg", a / b);
            printf(" %d%d%d\n", a < b, a == b, a >= b);
        }
        printf("%.17g %.9g %La\n", (double)values[i], (double)(float)values[i], values[i]);
    }
    volatile long double v = -12345.678L;
    printf("%d %lld %u\n", (int)v, (long long)v, (unsigned)-v);
    printf("%llu %lld\n", (unsigned long long)values[9], (long long)values[2]);
    volatile unsigned long long most = ~0ULL;
    volatile long long least = -9223372036854775807LL - 1;
    printf("%.3Lf %.3Lf\n", (long double)most, (long double)least);
    printf("%.18Lf %.30Le\n", 1.0L / 3, power(1.1L, 50));
    printf("%Lf %.0Lf %10.3Lf|%-12.2Lf|%+Lg\n", v, v, v, v, -v);
    printf("%d %d\n", isnan((long double)NAN), isinf(values[6] * values[6] * 1e100L) != 0);
    printf("%.20Lg %.20Lg %.20Lg\n", fabsl(v), floorl(v), sqrtl(2.0L));
    printf("%.20Lg\n", strtold("3.14159265358979323846", NULL));
    printf("%d %.25Lg\n", LDBL_MANT_DIG, LDBL_EPSILON);
    long double array[4] = {1, 2, 3, 4}, sum = 0;
    for (int i = 0; i < 4; i++) array[i] = array[i] * array[3 - i] + 0.1L;
    for (int i = 0; i < 4; i++) sum += array[i];
    printf("%.19Lg %zu\n", sum, sizeof array);
    return 0;
}
