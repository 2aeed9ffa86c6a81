/* SPDX-License-Identifier: Apache-2.0
 *
 * Switch statements: dense, sparse, negative, 64-bit, ranges, fall-through, nested, on characters and enums.
 * also-with: --m32
 */
#include <stdio.h>

static int dense(int v) {
    switch (v) {
    case 0: return 10;
    case 1: return 21;
    case 2: return 32;
    case 3: return 43;
    case 4: return 54;
    case 5: return 65;
    case 6: return 76;
    case 8: return 98;
    case 9: return 109;
    default: return -1;
    }
}

static const char *sparse(int v) {
    switch (v) {
    case -2147483647 - 1: return "minimum";
    case -1000: return "minus thousand";
    case 0: return "zero";
    case 77: return "seventy-seven";
    case 65536: return "2^16";
    case 2147483647: return "maximum";
    }
    return "other";
}

static int wide(unsigned long long v) {
    switch (v) {
    case 0: return 0;
    case 0xffffffffULL: return 1;
    case 0x100000000ULL: return 2;
    case 0x8000000000000000ULL: return 3;
    case 0xffffffffffffffffULL: return 4;
    default: return 5;
    }
}

static int ranges(int c) {
    switch (c) {
    case '0' ... '9': return 'd';
    case 'a' ... 'f':
    case 'A' ... 'F': return 'x';
    case 'g' ... 'z':
    case 'G' ... 'Z': return 'l';
    case -5 ... - 1: return 'n';
    default: return '?';
    }
}

static int fall(int v) {
    int result = 0;
    switch (v) {
    case 4: result += 1000; /* fall through */
    case 3: result += 100;  /* fall through */
    case 2: result += 10;   /* fall through */
    case 1: result += 1; break;
    default: result = -1; /* fall through */
    case 9: result *= 2;
    }
    return result;
}

/* Duff's device: the loop starts in the middle */
static int duff(int count) {
    int total = 0, rounds = (count + 3) / 4;
    switch (count % 4) {
    case 0: do { total += 1;
        case 3: total += 2;
        case 2: total += 4;
        case 1: total += 8;
        } while (--rounds > 0);
    }
    return total;
}

enum colour { RED = 5, GREEN = -3, BLUE = 100 };

static int nested(enum colour c, signed char v) {
    switch (c) {
    case RED:
        switch (v) {
        case -128: return 1;
        case 127: return 2;
        default: return 3;
        }
    case GREEN: return v > 0 ? 4 : 5;
    case BLUE: break;
    }
    return 6;
}

static int looped(const char *text) {
    int depth = 0, most = 0;
    for (; *text; text++) {
        switch (*text) {
        case '(': depth++; break;
        case ')': depth--; continue;
        case '!': goto done;
        default: continue;
        }
        if (depth > most) most = depth;
    }
done:
    return most * 10 + depth;
}

int main(void) {
    for (int i = -2; i < 12; i++) printf("%d %d %d\n", dense(i), fall(i), i > 0 ? duff(i) : 0);
    static const int samples[] = {-2147483647 - 1, -1000, -999, 0, 77, 78, 65536, 2147483647};
    for (unsigned i = 0; i < sizeof samples / sizeof *samples; i++) printf("%s\n", sparse(samples[i]));
    static const unsigned long long wides[] = {
        0, 1, 0xffffffff, 0x100000000, 0x8000000000000000, 0xffffffffffffffff, 0x7fffffffffffffff};
    for (unsigned i = 0; i < sizeof wides / sizeof *wides; i++) printf("%d ", wide(wides[i]));
    for (int c = -7; c < 128; c++) putchar(ranges(c));
    printf("\n%d %d %d %d %d %d\n", nested(RED, -128), nested(RED, 127), nested(RED, 0), nested(GREEN, 1),
           nested(GREEN, -1), nested(BLUE, 0));
    printf("%d %d %d\n", looped("(()(()))"), looped("(((!)))"), looped(""));
    return 0;
}
