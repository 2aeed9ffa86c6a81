/* SPDX-License-Identifier: Apache-2.0
 *
 * Overflow built-ins for every width, sign and mixture.
 * also-with: --m32
 */
#include <limits.h>
#include <stdio.h>

#define TRY(type, name, ...)                                                                                           \
    static void name(void) {                                                                                           \
        static volatile type values[] = {__VA_ARGS__};                                                                 \
        int count = (int)(sizeof values / sizeof *values);                                                             \
        for (int i = 0; i < count; i++) {                                                                              \
            for (int j = 0; j < count; j++) {                                                                          \
                type sum, difference, product;                                                                         \
                int a = __builtin_add_overflow(values[i], values[j], &sum);                                            \
                int s = __builtin_sub_overflow(values[i], values[j], &difference);                                     \
                int m = __builtin_mul_overflow(values[i], values[j], &product);                                        \
                printf("%d%d%d %llx %llx %llx\n", a, s, m, (unsigned long long)sum, (unsigned long long)difference,    \
                       (unsigned long long)product);                                                                   \
            }                                                                                                          \
        }                                                                                                              \
    }

TRY(signed char, signed_8, 0, 1, -1, 100, -100, SCHAR_MAX, SCHAR_MIN)
TRY(unsigned char, unsigned_8, 0, 1, 15, 16, 200, UCHAR_MAX)
TRY(short, signed_16, 0, 1, -1, 181, 182, SHRT_MAX, SHRT_MIN)
TRY(unsigned short, unsigned_16, 0, 1, 255, 256, 257, USHRT_MAX)
TRY(int, signed_32, 0, 1, -1, 46340, 46341, INT_MAX, INT_MIN)
TRY(unsigned, unsigned_32, 0, 1, 65535, 65536, UINT_MAX)
TRY(long long, signed_64, 0, 1, -1, 3037000499LL, 3037000500LL, LLONG_MAX, LLONG_MIN)
TRY(unsigned long long, unsigned_64, 0, 1, 4294967295ULL, 4294967296ULL, ULLONG_MAX)

static void mixed(void) {
    int i;
    unsigned u;
    unsigned char c;
    long long l;
    volatile int minus = -1;
    volatile unsigned big = 4000000000u;
    printf("%d ", __builtin_add_overflow(minus, big, &i));
    printf("%d ", __builtin_add_overflow(minus, big, &u));
    printf("%u ", u);
    printf("%d ", __builtin_add_overflow(minus, big, &l));
    printf("%lld ", l);
    printf("%d ", __builtin_mul_overflow(big, 2, &c));
    printf("%d ", c);
    printf("%d ", __builtin_sub_overflow(minus, 1LL << 40, &i));
    printf("%d ", i);
    printf("%d\n", __builtin_sadd_overflow(INT_MAX, minus, &i));
}

static long long saturating_add(long long a, long long b) {
    long long sum;
    if (!__builtin_add_overflow(a, b, &sum)) return sum;
    return a < 0 ? LLONG_MIN : LLONG_MAX;
}

int main(void) {
    signed_8(), unsigned_8(), signed_16(), unsigned_16(), signed_32(), unsigned_32(), signed_64(), unsigned_64();
    mixed();
    printf("%lld %lld %lld\n", saturating_add(LLONG_MAX, 5), saturating_add(LLONG_MIN, -5), saturating_add(3, -5));
    return 0;
}
