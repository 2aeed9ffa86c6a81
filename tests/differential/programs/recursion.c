/* SPDX-License-Identifier: Apache-2.0
 *
 * Recursion: deep, mutual, with many live values, through pointers.
 * also-with: --m32
 */
#include <stdio.h>

static unsigned ackermann(unsigned m, unsigned n) {
    if (m == 0) return n + 1;
    if (n == 0) return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

static int is_odd(unsigned n);
static int is_even(unsigned n) { return n == 0 ? 1 : is_odd(n - 1); }
static int is_odd(unsigned n) { return n == 0 ? 0 : is_even(n - 1); }

static int hofstadter_m(int n);
static int hofstadter_f(int n) { return n == 0 ? 1 : n - hofstadter_m(hofstadter_f(n - 1)); }
static int hofstadter_m(int n) { return n == 0 ? 0 : n - hofstadter_f(hofstadter_m(n - 1)); }

static unsigned long long fibonacci(int n) { return n < 2 ? (unsigned)n : fibonacci(n - 1) + fibonacci(n - 2); }

static void hanoi(int n, int from, int to, int by, int *moves, unsigned *hash) {
    if (n == 0) return;
    hanoi(n - 1, from, by, to, moves, hash);
    *hash = *hash * 31 + (unsigned)(n * 9 + from * 3 + to);
    ++*moves;
    hanoi(n - 1, by, to, from, moves, hash);
}

static unsigned long long chain(unsigned depth, unsigned long long a, unsigned long long b, unsigned long long c,
                                int *addresses_differ) {
    unsigned local = depth;
    if (depth == 0) return a ^ b ^ c;
    unsigned long long below = chain(depth - 1, b + depth, c * 3, a - b, addresses_differ);
    *addresses_differ += local == depth;
    return below + a * local;
}

static void permute(char *text, int from, int to, unsigned *hash) {
    if (from == to) {
        for (int i = 0; text[i]; i++) *hash = *hash * 33 + (unsigned char)text[i];
        return;
    }
    for (int i = from; i <= to; i++) {
        char t = text[from];
        text[from] = text[i], text[i] = t;
        permute(text, from + 1, to, hash);
        t = text[from];
        text[from] = text[i], text[i] = t;
    }
}

static int collatz(unsigned long long n) { return n == 1 ? 0 : 1 + collatz(n % 2 ? 3 * n + 1 : n / 2); }

static unsigned gcd(unsigned a, unsigned b) { return b == 0 ? a : gcd(b, a % b); }

int main(void) {
    for (unsigned m = 0; m < 3; m++) {
        for (unsigned n = 0; n < 6; n++) printf("%u ", ackermann(m, n));
    }
    printf("%u\n", ackermann(3, 3));
    printf("%d %d %d\n", is_even(100), is_odd(77), is_even(51));
    for (int i = 0; i < 20; i++) printf("%d,%d ", hofstadter_f(i), hofstadter_m(i));
    printf("\n%llu\n", fibonacci(18));
    int moves = 0, differ = 0;
    unsigned hash = 7;
    hanoi(10, 0, 2, 1, &moves, &hash);
    printf("%d %u\n", moves, hash);
    printf("%llu", chain(200, 1, 2, 3, &differ));
    printf(" %d\n", differ);
    char text[] = "abcdef";
    permute(text, 0, 5, &hash);
    printf("%u %s\n", hash, text);
    printf("%d %d %u\n", collatz(27), collatz(97), gcd(1071, 462));
    return (int)ackermann(2, 3);
}
