/* SPDX-License-Identifier: Apache-2.0
 *
 * The strtol family, and the names under which different versions of glibc's headers call it.
 */
#include "library.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

#include "convert.h"

static int digit_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'z') return c - 'a' + 10;
    if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
    return INT_MAX;
}

static int is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* The length of the prefix 0x or 0b if it is one: a digit of the base must follow. Settles base 0. The text ends at the
 * null character, or at `stop` if that is not a null pointer. */
static size_t prefix_length(const char *at, const char *stop, int binary, int *base) {
    int zero = at != stop && *at == '0';
    char letter = zero && at + 1 != stop && at + 2 != stop ? at[1] : '\0';
    if ((*base == 0 || *base == 16) && (letter == 'x' || letter == 'X') && digit_value(at[2]) < 16) {
        *base = 16;
        return 2;
    }
    if (binary && (*base == 0 || *base == 2) && (letter == 'b' || letter == 'B') && digit_value(at[2]) < 2) {
        *base = 2;
        return 2;
    }
    if (*base == 0) *base = zero ? 8 : 10;
    return 0;
}

struct scanned_integer __guest_scan_integer(const char *text, size_t limit, int base, int binary) {
    struct scanned_integer number = {0, 0, 0, text};
    const char *at = text;
    const char *stop = limit > (size_t)PTRDIFF_MAX ? NULL : text + limit;
    while (at != stop && is_space(*at)) at++;
    if (at != stop && (*at == '-' || *at == '+')) number.negative = *at++ == '-';
    at += prefix_length(at, stop, binary, &base);
    for (; at != stop; at++) {
        int digit = digit_value(*at);
        if (digit >= base) break;
        number.end = at + 1;
        if (__builtin_mul_overflow(number.magnitude, (unsigned long long)base, &number.magnitude) ||
            __builtin_add_overflow(number.magnitude, (unsigned long long)digit, &number.magnitude))
            number.overflow = 1;
    }
    if (number.overflow) number.magnitude = ULLONG_MAX;
    return number;
}

long long __guest_clamp_signed(const struct scanned_integer *number, long long highest) {
    unsigned long long limit = (unsigned long long)highest + (number->negative ? 1 : 0);
    unsigned long long magnitude = number->magnitude;
    if (number->overflow || magnitude > limit) {
        errno = ERANGE;
        magnitude = limit;
    }
    return (long long)(number->negative ? 0 - magnitude : magnitude);
}

unsigned long long __guest_clamp_unsigned(const struct scanned_integer *number, unsigned long long highest) {
    if (number->overflow || number->magnitude > highest) {
        errno = ERANGE;
        return highest;
    }
    return number->negative ? 0 - number->magnitude : number->magnitude;
}

/* What is wrong with the base is told by EINVAL, and the end is left alone, as glibc does. */
static int scan(const char *text, char **end, int base, int binary, struct scanned_integer *number) {
    if (base < 0 || base == 1 || base > 36) {
        errno = EINVAL;
        return 0;
    }
    *number = __guest_scan_integer(text, SIZE_MAX, base, binary);
    if (end != NULL) *end = (char *)number->end;
    return 1;
}

static long long to_signed(const char *text, char **end, int base, int binary, long long highest) {
    struct scanned_integer number;
    return scan(text, end, base, binary, &number) ? __guest_clamp_signed(&number, highest) : 0;
}

static unsigned long long to_unsigned(const char *text, char **end, int base, int binary, unsigned long long highest) {
    struct scanned_integer number;
    return scan(text, end, base, binary, &number) ? __guest_clamp_unsigned(&number, highest) : 0;
}

long strtol(const char *restrict text, char **restrict end, int base) {
    return (long)to_signed(text, end, base, 0, LONG_MAX);
}

unsigned long strtoul(const char *restrict text, char **restrict end, int base) {
    return (unsigned long)to_unsigned(text, end, base, 0, ULONG_MAX);
}

long long strtoll(const char *restrict text, char **restrict end, int base) {
    return to_signed(text, end, base, 0, LLONG_MAX);
}

unsigned long long strtoull(const char *restrict text, char **restrict end, int base) {
    return to_unsigned(text, end, base, 0, ULLONG_MAX);
}

intmax_t strtoimax(const char *restrict text, char **restrict end, int base) { return strtoll(text, end, base); }

uintmax_t strtoumax(const char *restrict text, char **restrict end, int base) { return strtoull(text, end, base); }

long long strtoq(const char *restrict text, char **restrict end, int base) { return strtoll(text, end, base); }

unsigned long long strtouq(const char *restrict text, char **restrict end, int base) {
    return strtoull(text, end, base);
}

int atoi(const char *text) { return (int)strtol(text, NULL, 10); }

long atol(const char *text) { return strtol(text, NULL, 10); }

long long atoll(const char *text) { return strtoll(text, NULL, 10); }

/* Headers of glibc 2.38 and later call these in C23 and GNU modes: the prefix 0b is accepted. */
PROTOTYPE(long, __isoc23_strtol, (const char *text, char **end, int base)) {
    return (long)to_signed(text, end, base, 1, LONG_MAX);
}

PROTOTYPE(unsigned long, __isoc23_strtoul, (const char *text, char **end, int base)) {
    return (unsigned long)to_unsigned(text, end, base, 1, ULONG_MAX);
}

PROTOTYPE(long long, __isoc23_strtoll, (const char *text, char **end, int base)) {
    return to_signed(text, end, base, 1, LLONG_MAX);
}

PROTOTYPE(unsigned long long, __isoc23_strtoull, (const char *text, char **end, int base)) {
    return to_unsigned(text, end, base, 1, ULLONG_MAX);
}

PROTOTYPE(intmax_t, __isoc23_strtoimax, (const char *text, char **end, int base)) {
    return to_signed(text, end, base, 1, LLONG_MAX);
}

PROTOTYPE(uintmax_t, __isoc23_strtoumax, (const char *text, char **end, int base)) {
    return to_unsigned(text, end, base, 1, ULLONG_MAX);
}

/* Older headers' inline functions call these; grouping has no meaning in the C locale. */
PROTOTYPE(long, __strtol_internal, (const char *text, char **end, int base, int group)) {
    (void)group;
    return strtol(text, end, base);
}

PROTOTYPE(unsigned long, __strtoul_internal, (const char *text, char **end, int base, int group)) {
    (void)group;
    return strtoul(text, end, base);
}

PROTOTYPE(long long, __strtoll_internal, (const char *text, char **end, int base, int group)) {
    (void)group;
    return strtoll(text, end, base);
}

PROTOTYPE(unsigned long long, __strtoull_internal, (const char *text, char **end, int base, int group)) {
    (void)group;
    return strtoull(text, end, base);
}
