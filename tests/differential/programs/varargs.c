/* SPDX-License-Identifier: Apache-2.0
 *
 * Variable arguments: integers, doubles, pointers, va_copy, many arguments, va_list handed on.
 * also-with: --m32
 */
#include <stdarg.h>
#include <stdio.h>

static long long sum_ints(int count, ...) {
    va_list list;
    va_start(list, count);
    long long sum = 0;
    for (int i = 0; i < count; i++) sum = sum * 3 + va_arg(list, int);
    va_end(list);
    return sum;
}

static double mix(const char *kinds, ...) {
    va_list list;
    va_start(list, kinds);
    double total = 0;
    for (; *kinds; kinds++) {
        switch (*kinds) {
        case 'i': total += va_arg(list, int); break;
        case 'l': total += (double)va_arg(list, long); break;
        case 'q': total += (double)va_arg(list, long long); break;
        case 'd': total += va_arg(list, double); break;
        case 'c': total += (char)va_arg(list, int); break;
        case 's': total += va_arg(list, const char *)[0]; break;
        case 'u': total += va_arg(list, unsigned); break;
        case 'p': total += *va_arg(list, int *); break;
        }
    }
    va_end(list);
    return total;
}

static int next_int(va_list *list) { return va_arg(*list, int); }

static int twice(int count, ...) {
    va_list first, second;
    va_start(first, count);
    int a = va_arg(first, int);
    va_copy(second, first);
    int b = 0, c = 0;
    for (int i = 1; i < count; i++) b += va_arg(first, int);
    for (int i = 1; i < count; i++) c += i * next_int(&second);
    va_end(second);
    va_end(first);
    return a * 10000 + b * 100 + c;
}

static int forward(char *out, size_t size, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int length = vsnprintf(out, size, format, list);
    va_end(list);
    return length;
}

static void log_line(int level, const char *format, ...) {
    va_list list;
    va_start(list, format);
    printf("[%d] ", level);
    vprintf(format, list);
    va_end(list);
}

static int recursive(int depth, ...) {
    va_list list;
    va_start(list, depth);
    int a = va_arg(list, int);
    double d = va_arg(list, double);
    va_end(list);
    return depth == 0 ? a + (int)d : recursive(depth - 1, a + depth, d * 1.5) + a;
}

int main(void) {
    int seven = 7;
    printf("%lld\n", sum_ints(0));
    printf("%lld\n", sum_ints(5, 1, -2, 3, -4, 5));
    printf("%lld\n", sum_ints(20, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20));
    printf("%.3f\n", mix("idlqcsup", -1, 2.5, 3L, 4LL, 'x', "yes", 4000000000u, &seven));
    printf("%.3f\n", mix("dddddddddddd", 1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11., 12.5));
    printf("%.3f\n",
           mix("idididididididididid", 1, .1, 2, .2, 3, .3, 4, .4, 5, .5, 6, .6, 7, .7, 8, .8, 9, .9, 10, .01));
    printf("%d\n", twice(5, 1, 2, 3, 4, 5));
    char buffer[64];
    int length = forward(buffer, sizeof buffer, "%d-%s-%.2f-%c-%lld", 42, "text", 3.14159, 'z', -1LL);
    printf("%d %s\n", length, buffer);
    length = forward(buffer, 8, "%s", "a text too long");
    printf("%d %s\n", length, buffer);
    log_line(3, "%s has %d of %u at %5.1f%%\n", "disk", -5, 77u, 99.5);
    printf("%d\n", recursive(6, 3, 2.0));
    float f = 1.25f;
    short s = -3;
    unsigned char c = 200;
    printf("%.2f %d %d\n", (double)f, s, c);
    printf("%.3f\n", mix("ddii", f, 2.0f * f, s, c));
    return 0;
}
