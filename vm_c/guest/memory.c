/* SPDX-License-Identifier: Apache-2.0
 *
 * The mem* functions of string.h. Also what struct copies and llvm.mem* intrinsics become. Every step moves at most one
 * machine word, by a load and then a store, so that other threads may see a copy half done, as they can on hardware.
 */
#include "library.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* Headers of C23 make these macros that keep const. */
#undef memchr

/* These may be laid over objects of any type. */
typedef unsigned long __attribute__((may_alias)) word;
typedef uint32_t __attribute__((may_alias)) quarter_word; /* the same as word in 32-bit programs */
typedef uint16_t __attribute__((may_alias)) half_quarter;

static int aligned(uintptr_t bits, size_t size) { return (bits & (size - 1)) == 0; }

/* The widest unit both ends are aligned to is moved at each step, so a naturally aligned scalar is never torn. */
static void copy_up(unsigned char *to, const unsigned char *from, size_t count) {
    while (count != 0) {
        uintptr_t bits = (uintptr_t)to | (uintptr_t)from;
        if (aligned(bits, sizeof(word))) {
            for (; count >= sizeof(word); count -= sizeof(word), to += sizeof(word), from += sizeof(word))
                *(word *)(void *)to = *(const word *)(const void *)from;
        }
        if (count >= 4 && aligned(bits, 4)) {
            *(quarter_word *)(void *)to = *(const quarter_word *)(const void *)from;
            to += 4, from += 4, count -= 4;
        } else if (count >= 2 && aligned(bits, 2)) {
            *(half_quarter *)(void *)to = *(const half_quarter *)(const void *)from;
            to += 2, from += 2, count -= 2;
        } else if (count != 0) {
            *to++ = *from++;
            count--;
        }
    }
}

/* `to` and `from` are one past the last byte. */
static void copy_down(unsigned char *to, const unsigned char *from, size_t count) {
    while (count != 0) {
        uintptr_t bits = (uintptr_t)to | (uintptr_t)from;
        if (aligned(bits, sizeof(word))) {
            for (; count >= sizeof(word); count -= sizeof(word)) {
                to -= sizeof(word), from -= sizeof(word);
                *(word *)(void *)to = *(const word *)(const void *)from;
            }
        }
        if (count >= 4 && aligned(bits, 4)) {
            to -= 4, from -= 4, count -= 4;
            *(quarter_word *)(void *)to = *(const quarter_word *)(const void *)from;
        } else if (count >= 2 && aligned(bits, 2)) {
            to -= 2, from -= 2, count -= 2;
            *(half_quarter *)(void *)to = *(const half_quarter *)(const void *)from;
        } else if (count != 0) {
            *--to = *--from;
            count--;
        }
    }
}

void *memcpy(void *restrict to, const void *restrict from, size_t count) {
    copy_up(to, from, count);
    return to;
}

void *mempcpy(void *restrict to, const void *restrict from, size_t count) {
    copy_up(to, from, count);
    return (char *)to + count;
}

void *memmove(void *to, const void *from, size_t count) {
    if ((uintptr_t)to - (uintptr_t)from >= count)
        copy_up(to, from, count);
    else
        copy_down((unsigned char *)to + count, (const unsigned char *)from + count, count);
    return to;
}

void *memccpy(void *restrict to, const void *restrict from, int stop, size_t count) {
    unsigned char *out = to;
    const unsigned char *in = from;
    for (; count != 0; count--) {
        unsigned char byte = *in++;
        *out++ = byte;
        if (byte == (unsigned char)stop) return out;
    }
    return NULL;
}

void *memset(void *to, int value, size_t count) {
    unsigned char *out = to;
    word pattern = (unsigned char)value * (~0UL / 255);
    while (count != 0) {
        uintptr_t bits = (uintptr_t)out;
        if (aligned(bits, sizeof(word))) {
            for (; count >= sizeof(word); count -= sizeof(word), out += sizeof(word)) *(word *)(void *)out = pattern;
        }
        if (count >= 4 && aligned(bits, 4)) {
            *(quarter_word *)(void *)out = (quarter_word)pattern;
            out += 4, count -= 4;
        } else if (count >= 2 && aligned(bits, 2)) {
            *(half_quarter *)(void *)out = (half_quarter)pattern;
            out += 2, count -= 2;
        } else if (count != 0) {
            *out++ = (unsigned char)value;
            count--;
        }
    }
    return to;
}

int memcmp(const void *left, const void *right, size_t count) {
    const unsigned char *a = left, *b = right;
    for (; count != 0; count--, a++, b++) {
        int difference = *a - *b;
        if (difference != 0) return difference;
    }
    return 0;
}

void *memchr(const void *memory, int value, size_t count) {
    const unsigned char *at = memory;
    for (; count != 0; count--, at++)
        if (*at == (unsigned char)value) return (void *)at;
    return NULL;
}

void *rawmemchr(const void *memory, int value) {
    const unsigned char *at = memory;
    while (*at != (unsigned char)value) at++;
    return (void *)at;
}

void *memrchr(const void *memory, int value, size_t count) {
    const unsigned char *start = memory;
    while (count-- != 0)
        if (start[count] == (unsigned char)value) return (void *)(start + count);
    return NULL;
}

void *memmem(const void *memory, size_t count, const void *wanted, size_t length) {
    const unsigned char *at = memory;
    for (; length <= count; at++, count--)
        if (memcmp(at, wanted, length) == 0) return (void *)at;
    return NULL;
}

void bzero(void *to, size_t count) { memset(to, 0, count); }

void explicit_bzero(void *to, size_t count) { memset(to, 0, count); }

int bcmp(const void *left, const void *right, size_t count) { return memcmp(left, right, count); }

void bcopy(const void *from, void *to, size_t count) { memmove(to, from, count); }

void swab(const void *restrict from, void *restrict to, ssize_t count) {
    const unsigned char *in = from;
    unsigned char *out = to;
    for (; count > 1; count -= 2, in += 2, out += 2) {
        unsigned char first = in[0], second = in[1];
        out[0] = second;
        out[1] = first;
    }
}

int ffs(int value) { return ffsl(value); }

int ffsl(long value) { return ffsll(value); }

int ffsll(long long value) {
    int position = 1;
    if (value == 0) return 0;
    for (; (value & 1) == 0; value >>= 1) position++;
    return position;
}
