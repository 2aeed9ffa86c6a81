/* SPDX-License-Identifier: Apache-2.0
 *
 * Text: copying, reversing, comparing and searching in character arrays, without the library.
 * Sized so that the slowest runner, LLVM's interpreter, takes a few seconds. ROUNDS can be set from outside, to 0 as
 * well.
 */
#include <stdio.h>

#ifndef ROUNDS
#define ROUNDS 20000
#endif
static char text[128], reversed[128];

static int length(const char *s) {
    int n = 0;
    while (s[n]) n++;
    return n;
}

static void reverse(char *to, const char *from) {
    int n = length(from);
    for (int i = 0; i < n; i++) to[i] = from[n - 1 - i];
    to[n] = 0;
}

static int find(const char *where, const char *what) {
    for (int i = 0; where[i]; i++) {
        int j = 0;
        while (what[j] && where[i + j] == what[j]) j++;
        if (!what[j]) return i;
    }
    return -1;
}

int main(void) {
    unsigned hash = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < 100; i++) text[i] = (char)('a' + (i * 7 + round) % 26);
        text[100] = 0;
        reverse(reversed, text);
        hash = hash * 31 + (unsigned)find(text, "xel") + (unsigned)(unsigned char)reversed[round % 100];
    }
    printf("%u\n", hash);
    return 0;
}
