/* SPDX-License-Identifier: Apache-2.0
 *
 * Structs passed and returned by value, one for each class of the calling conventions.
 * also-with: --m32
 */
#include <stdio.h>

struct c1 {
    char c;
};
struct c3 {
    char c[3];
};
struct i1 {
    int i;
};
struct i2 {
    int a, b;
};
struct i3 {
    int a, b, c;
};
struct l2 {
    long long a, b;
};
struct l3 {
    long long a, b, c;
};
struct f1 {
    float f;
};
struct f2 {
    float a, b;
};
struct f3 {
    float a, b, c;
};
struct f4 {
    float a, b, c, d;
};
struct d2 {
    double a, b;
};
struct id {
    int i;
    double d;
};
struct di {
    double d;
    int i;
};
struct fi {
    float f;
    int i;
};
struct cfs {
    char c;
    float f;
    short s;
};
struct nested {
    struct i2 pair;
    struct f2 floats;
};
struct array {
    int v[10];
};
struct pointers {
    const char *name;
    int *value;
};
union mixed {
    double d;
    long long l;
    float f[2];
};
struct __attribute__((packed)) packed {
    char c;
    long long l;
    short s;
};

static struct c1 mc1(struct c1 s) {
    s.c++;
    return s;
}
static struct c3 mc3(struct c3 s) {
    char t = s.c[0];
    s.c[0] = s.c[2];
    s.c[2] = t;
    return s;
}
static struct i1 mi1(struct i1 s) {
    s.i *= 2;
    return s;
}
static struct i2 mi2(struct i2 s) { return (struct i2){s.b, s.a}; }
static struct i3 mi3(struct i3 s) { return (struct i3){s.c, s.a, s.b}; }
static struct l2 ml2(struct l2 s) { return (struct l2){s.b, s.a}; }
static struct l3 ml3(struct l3 s) { return (struct l3){s.c, s.b, s.a}; }
static struct f1 mf1(struct f1 s) {
    s.f += 1;
    return s;
}
static struct f2 mf2(struct f2 s) { return (struct f2){s.b, s.a}; }
static struct f3 mf3(struct f3 s) { return (struct f3){s.c, s.b, s.a}; }
static struct f4 mf4(struct f4 s) { return (struct f4){s.d, s.c, s.b, s.a}; }
static struct d2 md2(struct d2 s) { return (struct d2){s.b, s.a}; }
static struct id mid(struct id s) { return (struct id){(int)s.d, s.i}; }
static struct di mdi(struct di s) { return (struct di){s.i, (int)s.d}; }
static struct fi mfi(struct fi s) { return (struct fi){(float)s.i, (int)s.f}; }
static struct cfs mcfs(struct cfs s) {
    s.c++, s.f *= 2, s.s--;
    return s;
}
static struct nested mnested(struct nested s) {
    s.pair = mi2(s.pair), s.floats = mf2(s.floats);
    return s;
}
static struct array marray(struct array s) {
    for (int i = 0; i < 5; i++) {
        int t = s.v[i];
        s.v[i] = s.v[9 - i];
        s.v[9 - i] = t;
    }
    return s;
}
static struct pointers mpointers(struct pointers s) {
    ++*s.value;
    s.name++;
    return s;
}
static union mixed mmixed(union mixed u) {
    u.l ^= 1LL << 62;
    return u;
}
static struct packed mpacked(struct packed s) {
    s.l = -s.l;
    s.s = (short)(s.s + s.c);
    return s;
}

static double many(struct i2 a, double b, struct d2 c, int d, struct l3 e, struct f3 f, long long g, struct id h,
                   struct array i, float j, struct c3 k) {
    return a.a + a.b * 2 + b * 3 + c.a * 4 + c.b * 5 + d * 6 + (double)(e.a * 7 + e.c * 8) + f.a * 9 + f.c * 10 +
           (double)g * 11 + h.i * 12 + h.d * 13 + i.v[7] * 14 + j * 15 + k.c[1] * 16;
}

static struct array by_pointer(struct array (*f)(struct array), struct array a) { return f(f(f(a))); }

static struct i3 deep(int n, struct i3 s) { return n == 0 ? s : deep(n - 1, mi3((struct i3){s.a + n, s.b, s.c})); }

int main(void) {
    printf("%d\n", mc1((struct c1){'a'}).c);
    struct c3 c3 = mc3((struct c3){{1, 2, 3}});
    printf("%d %d %d\n", c3.c[0], c3.c[1], c3.c[2]);
    struct i2 i2 = mi2((struct i2){1, 2});
    struct i3 i3 = mi3((struct i3){1, 2, 3});
    printf("%d %d %d %d %d %d\n", mi1((struct i1){21}).i, i2.a, i2.b, i3.a, i3.b, i3.c);
    struct l2 l2 = ml2((struct l2){1LL << 40, -2});
    struct l3 l3 = ml3((struct l3){1, 2, 1LL << 50});
    printf("%lld %lld %lld %lld %lld\n", l2.a, l2.b, l3.a, l3.b, l3.c);
    struct f2 f2 = mf2((struct f2){1.5f, 2.5f});
    struct f3 f3 = mf3((struct f3){1, 2, 3});
    struct f4 f4 = mf4((struct f4){1, 2, 3, 4});
    printf("%g %g %g %g %g %g %g\n", (double)mf1((struct f1){0.5f}).f, (double)f2.a, (double)f2.b, (double)f3.a,
           (double)f3.c, (double)f4.a, (double)f4.d);
    struct d2 d2 = md2((struct d2){1.25, -2});
    struct id id = mid((struct id){7, 8.5});
    struct di di = mdi((struct di){9.5, 10});
    struct fi fi = mfi((struct fi){11.5f, 12});
    printf("%g %g %d %g %g %d %g %d\n", d2.a, d2.b, id.i, id.d, di.d, di.i, (double)fi.f, fi.i);
    struct cfs cfs = mcfs((struct cfs){'x', 1.5f, -300});
    struct nested nested = mnested((struct nested){{1, 2}, {3, 4}});
    printf("%c %g %d %d %d %g %g\n", cfs.c, (double)cfs.f, cfs.s, nested.pair.a, nested.pair.b, (double)nested.floats.a,
           (double)nested.floats.b);
    struct array array = by_pointer(marray, (struct array){{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}});
    for (int i = 0; i < 10; i++) printf("%d ", array.v[i]);
    int value = 41;
    struct pointers pointers = mpointers((struct pointers){"xname", &value});
    printf("%s %d\n", pointers.name, *pointers.value);
    union mixed mixed = mmixed((union mixed){.l = 5});
    struct packed packed = mpacked((struct packed){3, 1LL << 33, -5});
    printf("%llx %d %lld %d\n", (unsigned long long)mixed.l, packed.c, packed.l, packed.s);
    printf("%g\n", many(i2, 1.5, d2, -3, l3, f3, 100, id, array, 2.5f, c3));
    i3 = deep(10, i3);
    printf("%d %d %d\n", i3.a, i3.b, i3.c);
    struct i2 copies[3] = {{1, 2}, {3, 4}, {5, 6}};
    copies[0] = copies[2], copies[2] = mi2(copies[1]);
    printf("%d %d %d\n", copies[0].a, copies[2].a, mi2(copies[2]).a);
    return 0;
}
