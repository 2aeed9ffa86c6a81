/* SPDX-License-Identifier: Apache-2.0
 *
 * Bit-counting built-ins, byte swaps, rotations, saturating idioms, minimum and maximum.
 * also-with: --m32
 */
#include <stdint.h>
#include <stdio.h>

static volatile uint64_t samples[] = {1,
                                      2,
                                      3,
                                      0x80,
                                      0xff,
                                      0x100,
                                      0x8000,
                                      0xffff,
                                      0x12345678,
                                      0x80000000,
                                      0xffffffff,
                                      0x100000000,
                                      0x123456789abcdef0,
                                      0x8000000000000000,
                                      0xffffffffffffffff,
                                      0x5555555555555555,
                                      0x0f0f0f0f0f0f0f0f};

static uint32_t rotate_left_32(uint32_t v, unsigned n) { return v << (n & 31) | v >> (-n & 31); }
static uint64_t rotate_right_64(uint64_t v, unsigned n) { return v >> (n & 63) | v << (-n & 63); }
static uint16_t rotate_left_16(uint16_t v, unsigned n) { return (uint16_t)(v << (n & 15) | v >> (-n & 15)); }
static uint8_t rotate_left_8(uint8_t v, unsigned n) { return (uint8_t)(v << (n & 7) | v >> (-n & 7)); }

static uint32_t reverse_32(uint32_t v) {
    v = (v >> 1 & 0x55555555u) | (v & 0x55555555u) << 1;
    v = (v >> 2 & 0x33333333u) | (v & 0x33333333u) << 2;
    v = (v >> 4 & 0x0f0f0f0fu) | (v & 0x0f0f0f0fu) << 4;
    v = (v >> 8 & 0x00ff00ffu) | (v & 0x00ff00ffu) << 8;
    return v >> 16 | v << 16;
}

static uint8_t saturating_add_8(uint8_t a, uint8_t b) { return a > UINT8_MAX - b ? UINT8_MAX : (uint8_t)(a + b); }
static uint32_t saturating_sub_32(uint32_t a, uint32_t b) { return a > b ? a - b : 0; }
static int16_t clamp_16(int v) { return (int16_t)(v > INT16_MAX ? INT16_MAX : v < INT16_MIN ? INT16_MIN : v); }
static int minimum(int a, int b) { return a < b ? a : b; }
static unsigned maximum(unsigned a, unsigned b) { return a > b ? a : b; }
static long long absolute(long long v) { return v < 0 ? -v : v; }
static int count_bits(uint64_t v) {
    int bits = 0;
    for (; v; v &= v - 1) bits++;
    return bits;
}
static int power_of_two(uint64_t v) { return v && !(v & (v - 1)); }
static int integer_log(uint64_t v) {
    int log = -1;
    for (; v; v >>= 1) log++;
    return log;
}

int main(void) {
    for (unsigned i = 0; i < sizeof samples / sizeof *samples; i++) {
        uint64_t w = samples[i];
        uint32_t v = (uint32_t)w;
        if (v) printf("%d %d ", __builtin_clz(v), __builtin_ctz(v));
        printf("%d %d ", __builtin_clzll(w), __builtin_ctzll(w));
        printf("%d %d %d %d ", __builtin_popcount(v), __builtin_popcountll(w), __builtin_parity(v),
               __builtin_parityll(w));
        printf("%d %d ", __builtin_ffs((int)v), __builtin_ffsll((long long)w));
        printf("%x %x %llx ", __builtin_bswap16((uint16_t)v), __builtin_bswap32(v),
               (unsigned long long)__builtin_bswap64(w));
        printf("%x %d %d %d\n", reverse_32(v), count_bits(w), power_of_two(w), integer_log(w));
        for (unsigned n = 0; n < 70; n += 13) {
            printf("%x %llx %x %x ", rotate_left_32(v, n), (unsigned long long)rotate_right_64(w, n),
                   rotate_left_16((uint16_t)v, n), rotate_left_8((uint8_t)v, n));
        }
        printf("%d %u %d %d %u %lld\n", saturating_add_8((uint8_t)v, 100), saturating_sub_32(v, 0x1000),
               clamp_16((int)(v >> 8)), minimum((int)(v >> 1), 77), maximum(v, 1000),
               absolute((long long)(w >> 1) - 5000));
#ifdef __clang__
        printf("%x %x %llx %x ", __builtin_bitreverse8((uint8_t)v), __builtin_bitreverse32(v),
               (unsigned long long)__builtin_bitreverse64(w), __builtin_bitreverse16((uint16_t)v));
        printf("%x %llx\n", __builtin_rotateleft32(v, 7), (unsigned long long)__builtin_rotateright64(w, 9));
#endif
    }
    volatile int zero = 0;
    printf("%d %d %d\n", __builtin_ffs(zero), __builtin_popcount((unsigned)zero), __builtin_clrsb(-1 - zero));
    printf("%d %d\n", __builtin_expect(zero == 0, 1) != 0, __builtin_constant_p(5));
    return 0;
}
