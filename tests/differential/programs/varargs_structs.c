/* SPDX-License-Identifier: Apache-2.0
 *
 * Variable arguments of struct type and long double: every way the ABI may pass them.
 */
#include <stdarg.h>
#include <stdio.h>

struct small {
    int a, b;
};
struct mixed {
    int a;
    double b;
};
struct floats {
    float x, y;
};
struct big {
    long long v[5];
};
struct odd {
    char c[3];
};

static void show(const char *kinds, ...) {
    va_list list;
    va_start(list, kinds);
    for (; *kinds; kinds++) {
        switch (*kinds) {
        case 's': {
            struct small v = va_arg(list, struct small);
            printf("small %d %d\n", v.a, v.b);
            break;
        }
        case 'm': {
            struct mixed v = va_arg(list, struct mixed);
            printf("mixed %d %.2f\n", v.a, v.b);
            break;
        }
        case 'f': {
            struct floats v = va_arg(list, struct floats);
            printf("floats %.2f %.2f\n", (double)v.x, (double)v.y);
            break;
        }
        case 'b': {
            struct big v = va_arg(list, struct big);
            printf("big %lld %lld\n", v.v[0], v.v[4]);
            break;
        }
        case 'o': {
            struct odd v = va_arg(list, struct odd);
            printf("odd %d %d %d\n", v.c[0], v.c[1], v.c[2]);
            break;
        }
        case 'i': printf("int %d\n", va_arg(list, int)); break;
        case 'd': printf("double %.3f\n", va_arg(list, double)); break;
        case 'L': printf("long double %.3f\n", (double)va_arg(list, long double)); break;
        }
    }
    va_end(list);
}

int main(void) {
    struct small s = {1, -2};
    struct mixed m = {3, 4.5};
    struct floats f = {5.5f, -6.25f};
    struct big b = {{7, 8, 9, 10, -11}};
    struct odd o = {{12, -13, 14}};
    show("smfboidL", s, m, f, b, o, 15, 16.125, 17.5L);
    show("iiiiiismsm", 1, 2, 3, 4, 5, 6, s, m, s, m);
    show("ddddddddfmf", 1., 2., 3., 4., 5., 6., 7., 8., f, m, f);
    show("bLbLib", b, 1.5L, b, -2.5L, 3, b);
    show("LiLdL", 1e10L, 1, 2.25L, 3.5, -1.0L);
    return 0;
}
