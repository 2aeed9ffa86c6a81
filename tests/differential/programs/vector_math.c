/* Functions of math.h on vector types, which Clang turns into intrinsics on vectors; lanes of two and four. */
#include <math.h>
#include <stdio.h>

typedef double pair __attribute__((vector_size(16)));
typedef float four __attribute__((vector_size(16)));

static pair roots(pair v) { return (pair){sqrt(v[0]), sqrt(v[1])}; }

int main(void) {
    volatile double seed = 2.0;
    pair a = {seed, 9.0}, b = {-1.5, 2.5};
    four c = {1.25f, -2.75f, 3.5f, -4.5f};
    pair r = roots(a);
    printf("%.10f %.10f\n", r[0], r[1]);
#if __has_builtin(__builtin_elementwise_floor)
    pair f = __builtin_elementwise_floor(b), m = __builtin_elementwise_abs(b);
    four up = __builtin_elementwise_ceil(c), cut = __builtin_elementwise_trunc(c);
#else
    pair f = {floor(b[0]), floor(b[1])}, m = {fabs(b[0]), fabs(b[1])};
    four up = {ceilf(c[0]), ceilf(c[1]), ceilf(c[2]), ceilf(c[3])};
    four cut = {truncf(c[0]), truncf(c[1]), truncf(c[2]), truncf(c[3])};
#endif
    printf("%g %g %g %g\n", f[0], f[1], m[0], m[1]);
    for (int i = 0; i < 4; i++) printf("%g %g ", up[i], cut[i]);
    printf("\n");
    return 0;
}
