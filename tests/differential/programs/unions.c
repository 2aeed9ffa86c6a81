/* SPDX-License-Identifier: Apache-2.0
 *
 * Unions and type punning, by member and by memcpy.
 * also-with: --m32
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

union number {
    uint8_t bytes[8];
    uint16_t halves[4];
    uint32_t words[2];
    uint64_t whole;
    int64_t sign;
    double real;
    float reals[2];
};

struct variant {
    enum { INTEGER, REAL, TEXT, PAIR } kind;
    union {
        long long integer;
        double real;
        char text[12];
        struct {
            short first, second;
        } pair;
    };
};

static void show(const struct variant *v) {
    switch (v->kind) {
    case INTEGER: printf("integer %lld\n", v->integer); break;
    case REAL: printf("real %.6g\n", v->real); break;
    case TEXT: printf("text %s\n", v->text); break;
    case PAIR: printf("pair %d,%d\n", v->pair.first, v->pair.second); break;
    }
}

static uint32_t float_bits(float f) {
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits) {
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

int main(void) {
    union number n = {.whole = 0x0123456789abcdefULL};
    for (int i = 0; i < 8; i++) printf("%02x ", n.bytes[i]);
    for (int i = 0; i < 4; i++) printf("%04x ", n.halves[i]);
    printf("%08x %08x\n", n.words[0], n.words[1]);
    n.real = -1.5;
    printf("%016llx\n", (unsigned long long)n.whole);
    n.reals[0] = 3.25f;
    printf("%016llx\n", (unsigned long long)n.whole);
    n.bytes[3] = 0x80;
    n.halves[3] = 0x7ff0;
    printf("%lld\n", (long long)n.sign);

    struct variant all[] = {
        {INTEGER, {.integer = -123456789012LL}},
        {REAL, {.real = 6.02e23}},
        {TEXT, {.text = "eleven char"}},
        {PAIR, {.pair = {-7, 32000}}},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct variant copy = all[i];
        show(&copy);
    }
    static const float floats[] = {0.0f, -0.0f, 1.0f, -2.5f, 1e-40f, 3.4e38f, 0.1f};
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++) printf("%08x ", float_bits(floats[i]));
    printf("\n%.17g %.17g %.17g\n", double_of(1), double_of(0x3ff0000000000001ULL), double_of(0xc05edd2f1a9fbe77ULL));

    unsigned char buffer[16];
    for (int shift = 0; shift < 8; shift++) {
        uint64_t value = 0x1122334455667788ULL * (unsigned)(shift + 1);
        memcpy(buffer + shift, &value, sizeof value);
        uint32_t part;
        memcpy(&part, buffer + shift + 3, sizeof part);
        printf("%08x ", part);
    }
    printf("\n");
    /* the sign-bit trick and the inverse square root trick */
    union {
        float f;
        int32_t i;
    } trick = {42.0f};
    trick.i = 0x5f3759df - (trick.i >> 1);
    printf("%.6f\n", (double)trick.f);
    return all[3].pair.first & 0xff;
}
