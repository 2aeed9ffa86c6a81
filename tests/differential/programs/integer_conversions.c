/* SPDX-License-Identifier: Apache-2.0
 *
 * Integer promotions, conversions between every pair of types, shifts and divisions of every width.
 * also-with: --m32
 */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>

#define TYPES(X)                                                                                                       \
    X(schar, signed char)                                                                                              \
    X(uchar, unsigned char)                                                                                            \
    X(short_, short)                                                                                                   \
    X(ushort, unsigned short)                                                                                          \
    X(int_, int) X(uint, unsigned) X(llong, long long) X(ullong, unsigned long long) X(boolean, _Bool)

static volatile long long samples[] = {
    0,       1,       -1,           127,          128,       -128,      -129,
    255,     256,     32767,        32768,        -32769,    65535,     65536,
    INT_MAX, INT_MIN, 4294967295LL, 4294967296LL, LLONG_MAX, LLONG_MIN, 0x123456789abcdefLL};
enum { SAMPLES = sizeof samples / sizeof *samples };

#define TO(type) printf("%lld ", (long long)(type)source)
#define FROM(name, type)                                                                                               \
    static void from_##name(void) {                                                                                    \
        for (int i = 0; i < SAMPLES; i++) {                                                                            \
            volatile type source = (type)samples[i];                                                                   \
            TO(signed char), TO(unsigned char), TO(short), TO(unsigned short), TO(int), TO(unsigned), TO(long long);   \
            TO(unsigned long long), TO(_Bool), TO(long), TO(unsigned long);                                            \
            printf("%lld %lld %d ", (long long)-(unsigned long long)source, (long long)~(long long)source, !source);   \
            printf("%d%d%d\n", (type)(source | 1) == source, (long long)source == 255, source > (type)1);              \
        }                                                                                                              \
    }
TYPES(FROM)

#define OPERATE(name, type)                                                                                            \
    static void operate_##name(void) {                                                                                 \
        for (int i = 0; i < SAMPLES; i += 2) {                                                                         \
            for (int j = 1; j < SAMPLES; j += 3) {                                                                     \
                volatile type a = (type)samples[i], b = (type)samples[j];                                              \
                unsigned long long wide_a = (unsigned long long)a, wide_b = (unsigned long long)b;                     \
                printf("%llx %llx ", (unsigned long long)(type)(wide_a + wide_b),                                      \
                       (unsigned long long)(type)(wide_a * wide_b));                                                   \
                if (b != 0 && !(b == (type) - 1 && (type) - 1 < (type)1))                                              \
                    printf("%lld %lld ", (long long)(a / b), (long long)(a % b));                                      \
                printf("%lld %lld %lld ", (long long)(a & b), (long long)(a | b), (long long)(a ^ b));                 \
                printf("%d%d%d\n", a < b, a <= b, a == b);                                                             \
            }                                                                                                          \
        }                                                                                                              \
    }
OPERATE(schar, signed char)
OPERATE(uchar, unsigned char)
OPERATE(short_, short)
OPERATE(ushort, unsigned short)
OPERATE(int_, int)
OPERATE(uint, unsigned)
OPERATE(llong, long long)
OPERATE(ullong, unsigned long long)

static void shifts(void) {
    for (unsigned n = 0; n < 64; n += 3) {
        volatile unsigned amount = n;
        volatile uint8_t u8 = 0xa5;
        volatile int8_t s8 = -91;
        volatile uint16_t u16 = 0xbeef;
        volatile int16_t s16 = -12345;
        volatile uint32_t u32 = 0xdeadbeef;
        volatile int32_t s32 = -123456789;
        volatile uint64_t u64 = 0xfedcba9876543210;
        volatile int64_t s64 = -81985529216486896LL;
        if (n < 8) printf("%d %d %d ", (uint8_t)(u8 << amount), u8 >> amount, s8 >> amount);
        if (n < 16) printf("%d %d %d ", (uint16_t)((unsigned)u16 << amount), u16 >> amount, s16 >> amount);
        if (n < 32) printf("%u %u %d ", u32 << amount, u32 >> amount, s32 >> amount);
        printf("%llu %llu %lld\n", (unsigned long long)(u64 << amount), (unsigned long long)(u64 >> amount),
               (long long)(s64 >> amount));
    }
}

static void usual_conversions(void) {
    volatile signed char c = -1;
    volatile unsigned u = 1;
    volatile unsigned short us = 65535;
    volatile long long ll = -1;
    volatile unsigned char uc = 200;
    printf("%d %d %d %d\n", c < (int)u, c < (long long)u, ll<u, us * 1> c);
    printf("%d %d %zu %zu\n", uc + uc, (unsigned char)(uc + uc), sizeof(uc + uc), sizeof(u + ll));
    printf("%d %d %d\n", ~uc, -us, 'a' + c);
    c = (signed char)uc;
    printf("%d ", c);
    printf("%d %d\n", (c += 100), (uc *= 2));
    int compound = 7;
    compound += 2.9;
    compound <<= 2;
    compound %= 10;
    printf("%d ", compound);
    printf("%d\n", (compound -= -5, compound));
    printf("%d %d %d %d\n", -7 / 2, -7 % 2, 7 / -2, 7 % -2);
}

#define CALL(name, type) from_##name();

int main(void) {
    TYPES(CALL)
    operate_schar(), operate_uchar(), operate_short_(), operate_ushort(), operate_int_(), operate_uint(),
        operate_llong(), operate_ullong();
    shifts();
    usual_conversions();
    return 0;
}
