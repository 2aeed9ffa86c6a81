/* SPDX-License-Identifier: Apache-2.0
 *
 * Text to number, as the strto* functions and sscanf share it: at most `limit` characters of the text are read.
 */
#ifndef PANCAM_GUEST_CONVERT_H
#define PANCAM_GUEST_CONVERT_H

#include <stddef.h>
#include <stdint.h>

struct scanned_integer {
    unsigned long long magnitude; /* all ones when it does not fit */
    int negative;
    int overflow;
    const char *end; /* the start of the text when there is no number */
};

/* base 0 or 2 .. 36; `binary` also accepts the prefix 0b (C23). */
struct scanned_integer __guest_scan_integer(const char *text, size_t limit, int base, int binary);
long long __guest_clamp_signed(const struct scanned_integer *number, long long highest);
unsigned long long __guest_clamp_unsigned(const struct scanned_integer *number, unsigned long long highest);

float __guest_scan_float(const char *text, size_t limit, const char **end);
double __guest_scan_double(const char *text, size_t limit, const char **end);
long double __guest_scan_long_double(const char *text, size_t limit, const char **end);

/* mantissa * 2^exponent, the mantissa's top bit set, rounded to the type; errno becomes ERANGE as strtod has it. */
float __guest_make_float(int negative, uint64_t mantissa, long exponent);
double __guest_make_double(int negative, uint64_t mantissa, long exponent);
long double __guest_make_long_double(int negative, uint64_t mantissa, long exponent);

#endif
