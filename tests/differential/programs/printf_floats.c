/* SPDX-License-Identifier: Apache-2.0
 *
 * printf with floating point: %f %e %g %a with flags, widths, precisions, rounding and edge values.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>

static volatile double values[] = {
    0.0,     -0.0,    1.0,      -1.0,     0.5,     1.5,     2.5,      0.1,    123456.789,
    1e10,    1e-5,    1e100,    1e-100,   9.995,   99999.5, 999999.5, 0.0001, 0.00001234,
    DBL_MAX, DBL_MIN, 4.9e-324, 1.0 / 3,  2.0 / 3, 1e15,    1e16,     1e17,   123456789012345678.0,
    0.045,   1.005,   INFINITY, -INFINITY};

int main(void) {
    for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
        double v = values[i];
        printf("[%f][%e][%g][%F][%E][%G]\n", v, v, v, v, v, v);
        for (int precision = 0; precision < 20; precision += 3) {
            printf("[%.*f][%.*e][%.*g]", precision, v, precision, v, precision, v);
        }
        printf("\n[%10.2f][%-10.2f][%+.1f][% .1f][%010.3f][%#.0f][%#.3g][%+010.2e]\n", v, v, v, v, v, v, v, v);
        printf("[%a][%A][%.3a][%20a][%-20.1a][%020.2a][%+a]\n", v, v, v, v, v, v, v);
        printf("[%.17g][%.9g][%.0e][%15.0f]\n", v, (double)(float)v, v, v);
    }
    printf("%.50f\n%.60g\n%.40e\n", 0.1, 0.1, 1.0 / 3);
    printf("%.0f %.0f %.0f %.0f %.1f %.1f %.2f\n", 0.5, 1.5, 2.5, 3.5, 0.25, 0.35, 2.675);
    printf("%5f|%-12f|%012f|%f\n", NAN < 0 ? 1.0 : 2.0, 3.0, -4.0, (double)1.1f);
    printf("%10f|%-10f|%010f|%G\n", (double)INFINITY, -(double)INFINITY, (double)INFINITY, -(double)INFINITY);
    printf("%s %s\n", fabs(NAN) != 0 ? "nan" : "", isnan(NAN) ? "isnan" : "");
    for (double d = 1; d > 1e-12; d /= 7) printf("%g %.3g %.10g\n", d, d, d);
    for (double d = 1; d < 1e22; d *= 13) printf("%g %.3g %.10g %f\n", d, d, d, d);
    return 0;
}
