/* SPDX-License-Identifier: Apache-2.0
 *
 * Complex numbers: arithmetic, parts, multiplication and division with edge values, as arguments.
 */
#include <complex.h>
#include <stdio.h>

static void show(const char *label, double complex z) { printf("%s %.12g %.12g\n", label, creal(z), cimag(z)); }

static double complex polynomial(double complex z) { return z * z * z - 2.0 * z + 1.0; }

static int mandelbrot(double complex c) {
    double complex z = 0;
    int n = 0;
    for (; n < 30 && creal(z) * creal(z) + cimag(z) * cimag(z) < 4; n++) z = z * z + c;
    return n;
}

static float complex rotate(float complex z) { return z * I; }

int main(void) {
    volatile double x = 3, y = -4;
    double complex a = x + y * I, b = 1.5 + 2.5 * I;
    show("+", a + b), show("-", a - b), show("*", a * b), show("/", a / b), show("neg", -a), show("conj", conj(a));
    show("poly", polynomial(a)), show("real", a * x), show("mixed", y / b),
        show("power", polynomial(polynomial(0.5 * b)));
    printf("%g %d %d\n", cabs(a), a == conj(conj(a)), a != b);
    for (int row = -5; row <= 5; row++) {
        for (int column = -12; column <= 4; column++)
            putchar(" .:-=+*#%@"[mandelbrot(column / 6.0 + row / 5.0 * I) % 10]);
        putchar('\n');
    }
    float complex f = rotate(rotate(2.0f + 1.0f * I)) + 0.25f;
    printf("%g %g\n", (double)crealf(f), (double)cimagf(f));
    double complex array[3] = {1, 2 * I, 3 + 3 * I}, sum = 0;
    for (int i = 0; i < 3; i++) sum += array[i] * array[2 - i];
    show("sum", sum);
    double complex *p = &array[1];
    __real__ *p = 9;
    __imag__ *p -= 1;
    show("parts", *p);
    return (int)creal(sum) & 0x3f;
}
