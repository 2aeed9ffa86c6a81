/* SPDX-License-Identifier: Apache-2.0
 *
 * Big numbers in arrays: factorials, Fibonacci numbers, powers of two and digits of e.
 * also-with: --m32
 */
#include <stdint.h>
#include <stdio.h>

enum { LIMBS = 40, BASE = 1000000000 };
struct big {
    int used;
    uint32_t limb[LIMBS];
};

static struct big small(uint32_t v) { return (struct big){1, {v}}; }

static struct big times(struct big n, uint32_t factor) {
    uint64_t carry = 0;
    for (int i = 0; i < n.used; i++) {
        carry += (uint64_t)n.limb[i] * factor;
        n.limb[i] = (uint32_t)(carry % BASE);
        carry /= BASE;
    }
    if (carry) n.limb[n.used++] = (uint32_t)carry;
    return n;
}

static struct big plus(struct big a, struct big b) {
    uint32_t carry = 0;
    int used = a.used > b.used ? a.used : b.used;
    for (int i = 0; i < used; i++) {
        carry += a.limb[i] + b.limb[i];
        a.limb[i] = carry % BASE;
        carry /= BASE;
    }
    a.used = used;
    if (carry) a.limb[a.used++] = carry;
    return a;
}

static uint32_t modulo(const struct big *n, uint32_t divisor) {
    uint64_t rest = 0;
    for (int i = n->used - 1; i >= 0; i--) rest = (rest * BASE + n->limb[i]) % divisor;
    return (uint32_t)rest;
}

static void print(const struct big *n) {
    printf("%u", n->limb[n->used - 1]);
    for (int i = n->used - 2; i >= 0; i--) printf("%09u", n->limb[i]);
    printf("\n");
}

static void digits_of_e(void) {
    int terms[60], digit = 0;
    for (int i = 0; i < 60; i++) terms[i] = 1;
    printf("2.");
    for (int place = 0; place < 50; place++) {
        digit = 0;
        for (int i = 59; i >= 0; i--) {
            digit += terms[i] * 10;
            terms[i] = digit % (i + 2);
            digit /= i + 2;
        }
        printf("%d", digit);
    }
    printf("\n");
}

int main(void) {
    struct big factorial = small(1), a = small(0), b = small(1), power = small(1);
    for (uint32_t i = 2; i <= 100; i++) factorial = times(factorial, i);
    print(&factorial);
    for (int i = 0; i < 300; i++) {
        struct big next = plus(a, b);
        a = b, b = next;
    }
    print(&a);
    for (int i = 0; i < 512; i++) power = times(power, 2);
    print(&power);
    printf("%u %u %u\n", modulo(&factorial, 101), modulo(&power, 997), modulo(&a, 65537));
    digits_of_e();
    return 0;
}
