/* SPDX-License-Identifier: Apache-2.0
 *
 * Small parts of the language: _Generic, _Bool, enums, volatile, comma, sizeof, goto, loops, scopes, restrict.
 * also-with: --m32
 */
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define KIND(x)                                                                                                        \
    _Generic((x),                                                                                                      \
        _Bool: "bool",                                                                                                 \
        char: "char",                                                                                                  \
        signed char: "schar",                                                                                          \
        unsigned char: "uchar",                                                                                        \
        short: "short",                                                                                                \
        int: "int",                                                                                                    \
        unsigned: "unsigned",                                                                                          \
        long: "long",                                                                                                  \
        long long: "llong",                                                                                            \
        float: "float",                                                                                                \
        double: "double",                                                                                              \
        char *: "text",                                                                                                \
        const char *: "const text",                                                                                    \
        int *: "int*",                                                                                                 \
        default: "other")

enum small { ZERO, ONE, FIVE = 5, SIX, NEGATIVE = -2, AFTER };
enum large { HUGE_VALUE = 0x7fffffff, TINY = -0x7fffffff - 1 };

static volatile int device;
static volatile unsigned short port = 0xffff;

static int side_effects;

static void generic(void) {
    char c = 0;
    short s = 0;
    int array[3];
    printf("%s %s %s %s %s %s ", KIND((bool)1), KIND(c), KIND(s), KIND(s + c), KIND(1u), KIND(1LL));
    printf("%s %s %s %s %s %s\n", KIND(1.0f), KIND(1.0), KIND("x"), KIND(array), KIND(&s), KIND((unsigned char)1));
}

static void booleans(void) {
    double tenth = 0.1;
    bool b = tenth, c = 256, d = (void *)0, e = strchr("x", 0);
    printf("%d %d %d %d %d %d\n", b, c, d, e, b + c, sizeof b == 1);
    b = -5;
    b ^= 1;
    c += 10;
    printf("%d %d %d %d\n", b, c, !c, b | e << 2);
    bool flags[5] = {true, [3] = 42};
    printf("%d %d %d\n", flags[0] + flags[1] + flags[3], flags[3] == true, (bool)0x100000000LL);
}

static void enums(void) {
    enum small v = FIVE;
    v++;
    printf("%d %d %d %d %d\n", v == SIX, ONE, NEGATIVE, AFTER, (int)sizeof(enum small));
    printf("%d %d %d\n", HUGE_VALUE, TINY, HUGE_VALUE > TINY);
}

static void volatiles(void) {
    for (device = 0; device < 5; device++) port = (unsigned short)(port - device * 1000);
    volatile int *p = &device;
    *p += 3;
    port++;
    printf("%d %d\n", device, port);
}

static int search(int target) {
    int i, j, found = -1;
    for (i = 0; i < 10; i++) {
        for (j = 0; j < 10; j++) {
            if (i * j > target) goto next_row;
            if (i * j == target && i > 1) {
                found = i * 100 + j;
                goto out;
            }
        }
    next_row:;
    }
out:
    return found;
}

static int irreducible(int n) {
    int a = 0, b = 0;
    if (n % 2) goto inside;
outside:
    a++;
    if (a > 20) goto end;
inside:
    b += a;
    if (b % 3 == 0) goto outside;
    b++;
    if (b < 60) goto outside;
end:
    return a * 1000 + b;
}

static void loops(void) {
    int count = 0, i = 10;
    do count += i--;
    while (i > 5);
    while (1) {
        if (i++ % 7 == 0) break;
        if (i % 2) continue;
        count += i;
    }
    for (int a = 0, b = 10; a < b; a += 2, b--) count = count * 2 + a - b;
    for (;;) {
        if (++count % 11 == 0) break;
    }
    printf("%d %d\n", count, i);
}

static void add(int *restrict out, const int *restrict in, int n) {
    while (n--) *out++ += *in++;
}

static void moves(void) {
    char text[32];
    for (int from = 0; from < 6; from++) {
        for (int to = 0; to < 6; to++) {
            strcpy(text, "abcdefghijklmnop");
            memmove(text + to, text + from, 9);
            printf("%s ", text);
        }
        printf("\n");
    }
}

static int effect(int v) { return side_effects = side_effects * 10 + v, v; }

int main(void) {
    generic(), booleans(), enums(), volatiles(), loops(), moves();
    printf("%d %d %d %d\n", search(42), search(7), irreducible(4), irreducible(5));
    int sums[4] = {1, 2, 3, 4}, more[4] = {10, 20, 30, 40};
    add(sums, more, 4);
    printf("%d %d\n", sums[0], sums[3]);
    int x = (effect(1), effect(2)) + 5;
    int y = effect(0) && effect(9), z = effect(3) || effect(8);
    int w = effect(0) ? effect(6) : effect(7);
    printf("%d %d %d %d %d\n", x, y, z, w, side_effects);
    int shadow = 1;
    {
        int shadow = 2;
        for (int shadow = 5; shadow < 6; shadow++) printf("%d ", shadow);
        printf("%d ", shadow);
    }
    printf("%d\n", shadow);
    struct aligned {
        char c;
        alignas(16) int v;
    };
    printf("%zu %zu %zu %zu\n", sizeof(struct aligned), alignof(struct aligned), offsetof(struct aligned, v),
           sizeof(int[7]));
    printf("%s %d %c\n", __func__, '\x41' + '\101', "string"[3]);
    int statement = ({
        int t = x;
        t * 2;
    });
    _Static_assert(sizeof(char) == 1, "a char is one byte");
    printf("%d %d %s\n", statement, x ?: 9,
           "con"
           "cat"
           "enated");
    return (int)sizeof(char) + 6;
}
