/* SPDX-License-Identifier: Apache-2.0
 *
 * GCC vector extensions: arithmetic, comparison, shuffles, conversion, element access, as arguments.
 */
#include <stdio.h>
#include <string.h>

typedef int v4i __attribute__((vector_size(16)));
typedef unsigned v4u __attribute__((vector_size(16)));
typedef float v4f __attribute__((vector_size(16)));
typedef double v2d __attribute__((vector_size(16)));
typedef short v8s __attribute__((vector_size(16)));
typedef signed char v16c __attribute__((vector_size(16)));
typedef long long v2l __attribute__((vector_size(16)));

static void show(const char *label, v4i v) { printf("%s %d %d %d %d\n", label, v[0], v[1], v[2], v[3]); }
static void show_floats(const char *label, v4f v) {
    printf("%s %g %g %g %g\n", label, (double)v[0], (double)v[1], (double)v[2], (double)v[3]);
}

static v4i blend(v4i mask, v4i a, v4i b) { return (mask & a) | (~mask & b); }
static v4f scale(v4f v, float by) { return v * by + 0.5f; }

struct particle {
    v4f position, velocity;
};
static struct particle move(struct particle p, float time) {
    p.position += p.velocity * time;
    return p;
}

static int sum(const int *values, int count) {
    v4i total = {0};
    for (int i = 0; i + 4 <= count; i += 4) {
        v4i chunk;
        memcpy(&chunk, values + i, sizeof chunk);
        total += chunk;
    }
    return total[0] + total[1] + total[2] + total[3];
}

int main(void) {
    volatile int seed = 3;
    v4i a = {1, -2, seed, 400}, b = {seed, seed + 1, -5, 6};
    show("+", a + b), show("-", a - b), show("*", a * b), show("/", a / b), show("%", a % b);
    show("&", a & b), show("|", a | b), show("^", a ^ b), show("~", ~a), show("neg", -a);
    show("<<", a << (v4i){1, 2, 3, 4}), show(">>", a >> 1);
    show("<", a < b), show("==", a == b), show(">=", a >= b), show("blend", blend(a < b, a, b));
    v4u u = (v4u)a;
    u = u >> 28;
    printf("%u %u\n", u[0], u[1]);
    v4f f = {1.5f, -2.25f, (float)seed, 1e10f};
    show_floats("+", f + f), show_floats("*", scale(f, 2.0f)), show_floats("/", 1.0f / f);
    show("f<", f < 2.0f);
    v2d d = {1.25, (double)seed};
    d = d * d - 1.0;
    printf("%g %g\n", d[0], d[1]);
    v8s s = {1, 2, 3, 4, 5, 6, 7, (short)(seed * 60)};
    s *= s;
    printf("%d %d\n", s[6], s[7]);
    v16c c;
    for (int i = 0; i < 16; i++) c[i] = (signed char)(i * seed);
    c = c + c;
    for (int i = 0; i < 16; i++) printf("%d ", c[i]);
    v2l l = {1LL << 20, -seed};
    l = l * l;
    printf("%lld %lld\n", l[0], l[1]);
    show("shuffle", __builtin_shufflevector(a, b, 3, 0, 5, 6));
    show_floats("converted", __builtin_convertvector(a, v4f));
    show("converted", __builtin_convertvector((v4f){1.9f, -1.9f, (float)seed, 0}, v4i));
    struct particle p = {{0, 1, 2, 3}, {1, 1, -1, 0.5f}};
    for (int i = 0; i < 4; i++) p = move(p, 0.5f);
    show_floats("moved", p.position);
    int values[20];
    for (int i = 0; i < 20; i++) values[i] = i * seed;
    printf("%d\n", sum(values, 20));
    a[seed] = 7;
    a[seed - 1] += 2;
    show("element", a);
    return 0;
}
