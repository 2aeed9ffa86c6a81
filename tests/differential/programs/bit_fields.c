/* SPDX-License-Identifier: Apache-2.0
 *
 * Bit-fields: signed, unsigned, packed, crossing storage units, zero width, 64 bits wide, in unions.
 * also-with: --m32
 */
#include <stdio.h>
#include <string.h>

struct plain {
    unsigned a : 3;
    signed b : 5;
    unsigned c : 9;
    signed d : 1;
    unsigned : 0;
    unsigned e : 31;
    signed f : 17;
};

struct __attribute__((packed)) tight {
    unsigned a : 7;
    signed long long b : 33;
    unsigned c : 13;
    signed char d;
    unsigned long long e : 61;
    signed short f : 11;
};

struct wide {
    unsigned long long a : 40;
    unsigned long long b : 24;
    signed long long c : 63;
    _Bool d : 1;
};

union overlay {
    struct {
        unsigned low : 4;
        unsigned middle : 8;
        signed high : 20;
    } bits;
    unsigned word;
};

static struct plain global_plain = {5, -7, 300, -1, 0x3fffffff, -40000};

static void print_plain(const char *label, const struct plain *p) {
    printf("%s %d %d %d %d %d %d\n", label, p->a, p->b, p->c, p->d, p->e, p->f);
}

static void print_bytes(const char *label, const void *data, size_t size) {
    const unsigned char *bytes = data;
    printf("%s:", label);
    for (size_t i = 0; i < size; i++) printf(" %02x", bytes[i]);
    printf("\n");
}

int main(void) {
    print_plain("global", &global_plain);
    struct plain p;
    memset(&p, 0, sizeof p);
    for (int i = -20; i < 20; i++) {
        p.a = (unsigned)i;
        p.b = i % 16;
        p.c = (unsigned)(i * 37);
        p.d = i & 1 ? -1 : 0;
        p.e += (unsigned)(i * i);
        p.f = i * 1000;
        print_plain("step", &p);
    }
    print_bytes("plain", &p, sizeof p);

    struct tight t;
    memset(&t, 0, sizeof t);
    for (long long i = -5; i < 6; i++) {
        t.a = (unsigned)(i * 11);
        t.b = i * 600000001LL;
        t.c = (unsigned)(i * 999);
        t.d = (signed char)(i * 20);
        t.e = (unsigned long long)i * 0x123456789abULL;
        t.f = (short)(i * 150);
        printf("%d %lld %d %d %llu %d\n", t.a, (long long)t.b, t.c, t.d, (unsigned long long)t.e, t.f);
        print_bytes("tight", &t, sizeof t);
    }
    printf("sizes %zu %zu %zu\n", sizeof(struct plain), sizeof(struct tight), sizeof(struct wide));

    struct wide w = {0xffeeddccbbULL, 0x123456, -5, 1};
    w.a++;
    w.b <<= 4;
    w.c *= 1000000007LL;
    w.d = !w.d;
    printf("%llx %llx %lld %d\n", (unsigned long long)w.a, (unsigned long long)w.b, (long long)w.c, w.d);
    w.d = 42;
    printf("%d\n", w.d);
    printf("%d %d\n", (w.d = 0), (w.c = -1, w.c < 0));

    union overlay o = {.word = 0xdeadbeef};
    printf("%x %x %d\n", o.bits.low, o.bits.middle, o.bits.high);
    o.bits.middle ^= 0xff;
    o.bits.high--;
    printf("%x\n", o.word);
    printf("%d %d\n", p.a++, --p.b);
    printf("%d %d\n", p.a, p.b);
    return (int)(o.word & 0x7f);
}
