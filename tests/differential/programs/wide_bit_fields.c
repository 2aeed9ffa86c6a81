/* Bit-fields that Clang reads and writes as one integer of more than 128 bits: packed, signed, crossing words. */
#include <stdio.h>
#include <string.h>

#pragma pack(push, 1)
struct wide {
    signed a : 30;
    unsigned b : 17;
    signed c : 29;
    unsigned d : 3;
    signed e : 31;
    unsigned f : 25;
    signed g : 1;
    unsigned long long h : 33;
    signed long long i : 41;
};
struct volatile_tail {
    unsigned a : 31;
    signed b : 24;
    unsigned c : 26;
    signed d : 30;
    volatile unsigned e : 21;
};
#pragma pack(pop)

static struct wide shared = {-5, 70000, -123456, 5, 0x3fffffff, 0x1abcdef, -1, 0x1deadbeefULL, -99999999999LL};

static void show(const char *label, struct wide w) {
    unsigned char bytes[sizeof w];
    memcpy(bytes, &w, sizeof w);
    printf("%s: %d %u %d %u %d %u %d %llu %lld |", label, w.a, w.b, w.c, w.d, w.e, w.f, w.g, (unsigned long long)w.h,
           (long long)w.i);
    for (unsigned k = 0; k < sizeof w; k++) printf(" %02x", bytes[k]);
    printf("\n");
}

static struct volatile_tail tail = {0x7abcdef1, -1234567, 0x3001234, -500000000, 0x1f0f0f};

static void turn_tail(int times) {
    for (int k = 0; k < times; k++) {
        tail.a = tail.a * 3 + tail.e;
        tail.b = -tail.b + k;
        tail.d >>= 1;
        tail.e += tail.c;
        printf("tail: %u %d %u %d %u\n", tail.a, tail.b, tail.c, tail.d, tail.e);
    }
}

int main(void) {
    turn_tail(6);
    show("initial", shared);
    volatile int one = 1;
    shared.a += one;
    shared.c *= 3 * one;
    shared.e = -shared.e;
    shared.h >>= one;
    shared.i += 12345678901LL * one;
    show("changed", shared);
    struct wide copy = shared;
    for (int round = 0; round < 5; round++) {
        copy.b = copy.b * 31 + (unsigned)round;
        copy.g = ~copy.g;
        copy.d += 3;
        copy.f ^= copy.b << round;
        show("round", copy);
    }
    printf("%d\n", memcmp(&copy, &shared, sizeof copy) != 0);
    return 0;
}
