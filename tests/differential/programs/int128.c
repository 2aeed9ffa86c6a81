/* SPDX-License-Identifier: Apache-2.0
 *
 * 128-bit integers: every operator, signed and unsigned, conversions to and from floating point.
 */
#include <stdint.h>
#include <stdio.h>

typedef unsigned __int128 u128;
typedef __int128 s128;

static void show(const char *label, u128 v) {
    printf("%s %016llx%016llx\n", label, (unsigned long long)(v >> 64), (unsigned long long)v);
}

static void print_decimal(s128 v) {
    char digits[48];
    int at = sizeof digits - 1;
    u128 magnitude = v < 0 ? -(u128)v : (u128)v;
    digits[at] = 0;
    do {
        digits[--at] = (char)('0' + (int)(magnitude % 10));
        magnitude /= 10;
    } while (magnitude);
    printf("%s%s\n", v < 0 ? "-" : "", digits + at);
}

static u128 join(uint64_t high, uint64_t low) { return (u128)high << 64 | low; }

static volatile uint64_t parts[] = {
    0, 1, 2, 10, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff, 0x123456789abcdef0};
enum { PARTS = sizeof parts / sizeof *parts };

static void unsigned_pair(u128 a, u128 b) {
    show("+", a + b), show("-", a - b), show("*", a * b);
    if (b) show("/", a / b), show("%", a % b);
    printf("%d%d%d%d\n", a < b, a <= b, a == b, a != b);
}

static void signed_pair(s128 a, s128 b) {
    if (b != 0 && b != -1) show("s/", (u128)(a / b)), show("s%", (u128)(a % b));
    printf("%d%d%d%d\n", a<b, a <= b, a> b, a >= b);
}

static u128 factorial(unsigned n) { return n < 2 ? 1 : n * factorial(n - 1); }

static uint64_t power_modulo(uint64_t base, uint64_t exponent, uint64_t modulus) {
    uint64_t result = 1;
    for (; exponent; exponent >>= 1) {
        if (exponent & 1) result = (uint64_t)((u128)result * base % modulus);
        base = (uint64_t)((u128)base * base % modulus);
    }
    return result;
}

struct holder {
    char tag;
    s128 value;
};

int main(void) {
    for (int i = 0; i < PARTS; i++) {
        for (int j = 0; j < PARTS; j += 2) {
            u128 a = join(parts[i], parts[PARTS - 1 - i]), b = join(parts[j], parts[(j + 3) % PARTS]);
            unsigned_pair(a, b);
            signed_pair((s128)a, (s128)b);
            signed_pair((s128)a, (s128)(int64_t)parts[j + 1]);
        }
    }
    u128 pattern = join(0x8123456789abcdef, 0xfedcba9876543210);
    for (int s = 0; s < 128; s += 9) {
        volatile int shift = s;
        show("<<", pattern << shift), show(">>", pattern >> shift), show("s>>", (u128)((s128)pattern >> shift));
    }
    show("&", pattern & join(0xff00, 0x00ff)), show("|", pattern | 0xf), show("^", pattern ^ -(u128)1),
        show("~", ~pattern);
    print_decimal((s128)factorial(33)), print_decimal(-(s128)factorial(30)), print_decimal((s128)((u128)1 << 127));
    printf("%llu\n", (unsigned long long)power_modulo(3, 1000000007, 0xffffffffffffffc5));
    volatile double d = 1.5e30, e = -2.75e20, small = 0.75;
    show("from double", (u128)d), show("from double", (u128)(s128)e), show("from double", (u128)small);
    volatile float f = 3.0e38f;
    show("from float", (u128)f);
    printf("%.17g %.17g %.9g\n", (double)pattern, (double)(s128)pattern, (double)(float)pattern);
    printf("%.17g %.17g\n", (double)join(0, 0x8000000000000401), (double)join(1, 1));
    struct holder h = {'x', -5};
    h.value *= (s128)parts[7];
    print_decimal(h.value);
    printf("%zu %zu\n", sizeof h, _Alignof(s128));
    s128 sum;
    int over = __builtin_add_overflow((s128)(~(u128)0 >> 1), (s128)parts[1], &sum);
    printf("%d\n", over);
    print_decimal(sum);
    u128 product;
    over = __builtin_mul_overflow(pattern, (u128)parts[2], &product);
    printf("%d\n", over);
    show("wrapped", product);
    switch ((int)(pattern % 7)) {
    case 0: return 10;
    case 3: return 13;
    default: return (int)(pattern % 7);
    }
}
