/* SPDX-License-Identifier: Apache-2.0
 *
 * strtof, strtod, strtold, atof: text to floating point, correctly rounded (to nearest, ties to even) by exact integer
 * arithmetic. The decimal number becomes a 64-bit mantissa, a binary exponent and a bit that says whether anything lies
 * below; then it is cut to the format.
 */
#include "library.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

#include "convert.h"
#include "floatbits.h"

struct float_format {
    int precision;       /* bits, with the integer bit */
    int lowest_exponent; /* of the smallest normal number, as 1.x * 2^exponent */
    int highest_exponent;
    int digit_limit;     /* more decimal digits than any number halfway between two neighbours has */
    int highest_decimal; /* 10 to this power is too large, and to the next is too small, for the format */
    int lowest_decimal;
};

static const struct float_format float_format = {24, -126, 127, 160, 40, -60};
static const struct float_format double_format = {53, -1022, 1023, 800, 310, -340};
static const struct float_format long_double_format = {64, -16382, 16383, 11600, 4940, -4970};

/* What the text says: a number (mantissa + below / 2^64) * 2^exponent, or one of the special values. */
struct scanned_float {
    enum { SCANNED_NOTHING, SCANNED_NUMBER, SCANNED_INFINITY, SCANNED_NAN } kind;
    int negative;
    uint64_t mantissa; /* of a number: top bit set, or 0; of a NaN: its payload */
    uint64_t below;    /* its lowest bit stands for all that lies further down: more than a rounding needs to know */
    long exponent;
    const char *end;
};

/* One character at a time, never beyond the stop; a null pointer is none. */
struct reader {
    const char *at;
    const char *stop;
};

static char peek(const struct reader *reader) { return reader->at != reader->stop ? *reader->at : '\0'; }

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c; }

static int is_digit(char c) { return c >= '0' && c <= '9'; }

static int hex_value(char c) {
    if (is_digit(c)) return c - '0';
    c = lower(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int accept_word(struct reader *reader, const char *word) {
    struct reader ahead = *reader;
    for (; *word != '\0'; word++, ahead.at++)
        if (lower(peek(&ahead)) != *word) return 0;
    *reader = ahead;
    return 1;
}

enum { EXPONENT_LIMIT = 100000000 };

/* The number after e or p; 0 and nothing read if there is none. */
static long read_exponent(struct reader *reader, char letter) {
    struct reader ahead = *reader;
    long exponent = 0;
    int negative = 0;
    if (lower(peek(&ahead)) != letter) return 0;
    ahead.at++;
    if (peek(&ahead) == '-' || peek(&ahead) == '+') negative = *ahead.at++ == '-';
    if (!is_digit(peek(&ahead))) return 0;
    for (; is_digit(peek(&ahead)); ahead.at++)
        if (exponent < EXPONENT_LIMIT) exponent = exponent * 10 + (*ahead.at - '0');
    *reader = ahead;
    return negative ? -exponent : exponent;
}

/* Words of 32 bits, least significant first. */
struct natural {
    uint32_t *words;
    size_t count;
};

static void multiply_add(struct natural *number, uint32_t factor, uint32_t addend) {
    uint64_t carry = addend;
    for (size_t i = 0; i < number->count; i++) {
        carry += (uint64_t)number->words[i] * factor;
        number->words[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry != 0) number->words[number->count++] = (uint32_t)carry;
}

static uint32_t divide(struct natural *number, uint32_t divisor) {
    uint64_t rest = 0;
    for (size_t i = number->count; i-- > 0;) {
        rest = rest << 32 | number->words[i];
        number->words[i] = (uint32_t)(rest / divisor);
        rest %= divisor;
    }
    while (number->count != 0 && number->words[number->count - 1] == 0) number->count--;
    return (uint32_t)rest;
}

static uint32_t power_of_ten(long exponent) {
    uint32_t power = 1;
    while (exponent-- > 0) power *= 10;
    return power;
}

/* Shifts the pair up until the top bit is set; it must not be zero. */
static void normalise(struct scanned_float *number) {
    while (number->mantissa >> 63 == 0) {
        number->mantissa = number->mantissa << 1 | number->below >> 63;
        number->below <<= 1;
        number->exponent--;
    }
}

/* The top 128 bits of a number that is not zero, normalised; `rest` says that something lies below it. */
static void take_top_bits(const struct natural *number, long exponent, int rest, struct scanned_float *out) {
    uint32_t top[4] = {0, 0, 0, 0};
    size_t used = number->count < 4 ? number->count : 4;
    for (size_t i = 0; i < used; i++) top[i] = number->words[number->count - 1 - i];
    for (size_t i = 0; i + used < number->count; i++) rest |= number->words[i] != 0;
    out->mantissa = (uint64_t)top[0] << 32 | top[1];
    out->below = (uint64_t)top[2] << 32 | top[3];
    out->exponent = exponent + ((long)number->count - 2) * 32;
    normalise(out);
    out->below |= (uint64_t)rest;
}

/* Where the digits of a decimal number are: `digits` of them from `first` on, a point possibly among them. */
struct decimal_text {
    const char *first;
    long digits;
    long exponent; /* of the last of these digits */
};

/* The words that convert_decimal needs: a word holds 9 digits with room to spare, and below the point a division by ten
 * to the n must leave 66 bits: 10 / 3 bits for each of the n. */
static size_t low_words(const struct decimal_text *text) {
    return text->exponent < 0 ? ((size_t)-text->exponent * 10 / 3 + 66) / 32 + 1 : 0;
}

static size_t all_words(const struct decimal_text *text) {
    size_t digits = (size_t)text->digits + (text->exponent > 0 ? (size_t)text->exponent : 0);
    return digits / 9 + 2 + low_words(text);
}

static void convert_decimal(const struct decimal_text *text, uint32_t *words, int rest, struct scanned_float *out) {
    struct natural high = {words + low_words(text), 0};
    const char *at = text->first;
    for (long left = text->digits; left > 0;) {
        uint32_t chunk = 0;
        long taken = left < 9 ? left : 9;
        for (long i = 0; i < taken; at++) {
            if (!is_digit(*at)) /* the point */
                continue;
            chunk = chunk * 10 + (uint32_t)(*at - '0');
            i++;
        }
        multiply_add(&high, power_of_ten(taken), chunk);
        left -= taken;
    }
    for (long left = text->exponent; left > 0; left -= 9) multiply_add(&high, power_of_ten(left < 9 ? left : 9), 0);
    struct natural number = {words, high.count + low_words(text)};
    for (size_t i = 0; i < low_words(text); i++) words[i] = 0;
    for (long left = -text->exponent; left > 0; left -= 9)
        if (divide(&number, power_of_ten(left < 9 ? left : 9)) != 0) rest = 1;
    take_top_bits(&number, -32 * (long)low_words(text), rest, out);
}

static void convert_in_local_memory(const struct decimal_text *text, int rest, struct scanned_float *out) {
    uint32_t words[all_words(text)]; /* as large as this number needs, a few words as a rule */
    convert_decimal(text, words, rest, out);
}

/* Digits beyond the limit only say that there is something below. */
static void read_decimal(struct reader *reader, const struct float_format *format, struct scanned_float *out) {
    struct decimal_text text = {NULL, 0, 0};
    int seen_point = 0, seen_digit = 0, rest = 0;
    long point = 0; /* digits after the point, up to the last that is kept */
    for (;; reader->at++) {
        char c = peek(reader);
        if (c == '.' && !seen_point) {
            seen_point = 1;
            continue;
        }
        if (!is_digit(c)) break;
        seen_digit = 1;
        if (text.first == NULL && c != '0') text.first = reader->at;
        int kept = text.first != NULL && text.digits < format->digit_limit;
        if (kept)
            text.digits++;
        else if (text.first != NULL && c != '0')
            rest = 1;
        if (seen_point && (kept || text.first == NULL))
            point++;
        else if (!seen_point && text.first != NULL && !kept)
            point--;
    }
    if (!seen_digit) return;
    out->kind = SCANNED_NUMBER;
    text.exponent = read_exponent(reader, 'e') - point;
    out->end = reader->at;
    if (text.first == NULL) return;
    if (text.exponent + text.digits > format->highest_decimal || text.exponent + text.digits < format->lowest_decimal) {
        out->mantissa = (uint64_t)1 << 63; /* out of range whatever the digits are */
        out->exponent = text.exponent + text.digits > 0 ? EXPONENT_LIMIT : -EXPONENT_LIMIT;
        out->below = 1;
        return;
    }
    convert_in_local_memory(&text, rest, out);
}

/* After 0x, which is followed by a hexadecimal digit, possibly behind a point. */
static void read_hexadecimal(struct reader *reader, struct scanned_float *out) {
    long exponent = 0;
    int seen_point = 0;
    for (;; reader->at++) {
        char c = peek(reader);
        int digit = hex_value(c);
        if (c == '.' && !seen_point) {
            seen_point = 1;
            continue;
        }
        if (digit < 0) break;
        if (out->mantissa >> 60 == 0) {
            out->mantissa = out->mantissa << 4 | out->below >> 60;
            out->below = out->below << 4 | (uint64_t)digit;
            exponent -= seen_point ? 4 : 0;
        } else {
            out->below |= digit != 0;
            exponent += seen_point ? 0 : 4;
        }
    }
    out->kind = SCANNED_NUMBER;
    out->exponent = exponent + 64 + read_exponent(reader, 'p');
    out->end = reader->at;
    if (out->mantissa != 0 || out->below != 0) normalise(out);
}

/* "nan", then possibly a payload in parentheses: a number as strtoull reads it, else any letters and digits. */
static void read_nan(struct reader *reader, struct scanned_float *out) {
    out->kind = SCANNED_NAN;
    out->end = reader->at;
    if (peek(reader) != '(') return;
    const char *first = ++reader->at;
    for (;; reader->at++) {
        char c = peek(reader);
        if (!is_digit(c) && !(lower(c) >= 'a' && lower(c) <= 'z') && c != '_') break;
    }
    if (peek(reader) != ')') return;
    out->end = reader->at + 1;
    struct scanned_integer payload = __guest_scan_integer(first, (size_t)(reader->at - first), 0, 0);
    if (payload.end == reader->at) out->mantissa = payload.magnitude;
}

static struct scanned_float scan(const char *text, size_t limit, const struct float_format *format) {
    struct scanned_float out = {SCANNED_NOTHING, 0, 0, 0, 0, text};
    struct reader reader = {text, limit > (size_t)PTRDIFF_MAX ? NULL : text + limit};
    while (peek(&reader) == ' ' || (peek(&reader) >= '\t' && peek(&reader) <= '\r')) reader.at++;
    if (peek(&reader) == '-' || peek(&reader) == '+') out.negative = *reader.at++ == '-';
    if (accept_word(&reader, "inf")) {
        accept_word(&reader, "inity");
        out.kind = SCANNED_INFINITY;
        out.end = reader.at;
        return out;
    }
    if (accept_word(&reader, "nan")) {
        read_nan(&reader, &out);
        return out;
    }
    struct reader ahead = reader;
    if (accept_word(&ahead, "0x")) {
        struct reader behind_point = ahead;
        if (peek(&behind_point) == '.') behind_point.at++;
        if (hex_value(peek(&behind_point)) >= 0) {
            read_hexadecimal(&ahead, &out);
            return out;
        }
    }
    read_decimal(&reader, format, &out);
    return out;
}

/* A number cut to a format, as its bits: the mantissa with its integer bit, and the biased exponent (0: denormal). */
struct rounded {
    uint64_t mantissa;
    int biased_exponent;
};

/* Keeps the top `kept` bits (at most 64) of a normalised mantissa, to nearest and even. May give 2^kept, which is 0
 * when kept is 64. Says whether anything was lost. */
static uint64_t keep_bits(const struct scanned_float *number, long kept, int *inexact) {
    uint64_t top = number->mantissa, below = number->below;
    uint64_t half = (uint64_t)1 << 63;
    if (kept < 0) {
        top = 0;
        below = 1;
    } else if (kept < 64) {
        top = kept == 0 ? 0 : number->mantissa >> (64 - kept);
        below = number->mantissa << kept | (number->below != 0);
    }
    *inexact = below != 0;
    return top + (below > half || (below == half && (top & 1) != 0));
}

/* Errno tells of overflow, and of a result that is inexact and too small (rounded as if exponents had no limit). */
static struct rounded round_to(const struct float_format *format, const struct scanned_float *number) {
    struct rounded result = {0, 0};
    int bias = format->highest_exponent, inexact;
    long exponent = number->exponent + 63;
    uint64_t integer_bit = (uint64_t)1 << (format->precision - 1);
    uint64_t beyond = integer_bit << 1; /* 0 when the precision is 64 */
    if (number->mantissa == 0) return result;
    uint64_t mantissa = keep_bits(number, format->precision, &inexact);
    if (mantissa == beyond) {
        mantissa = integer_bit;
        exponent++;
    }
    if (exponent > format->highest_exponent) {
        errno = ERANGE;
        result.biased_exponent = 2 * bias + 1;
        result.mantissa = integer_bit;
    } else if (exponent >= format->lowest_exponent) {
        result.biased_exponent = (int)exponent + bias;
        result.mantissa = mantissa;
    }
    if (number->exponent + 63 >= format->lowest_exponent) return result;
    long kept = number->exponent + 63 - format->lowest_exponent + format->precision;
    result.mantissa = keep_bits(number, kept, &inexact);
    result.biased_exponent = result.mantissa == integer_bit;
    if (inexact && exponent < format->lowest_exponent) errno = ERANGE;
    return result;
}

/* The bits of any scanned value. A NaN is quiet; as many bits of its payload are kept as fit. */
static struct rounded bits_of(const struct float_format *format, const struct scanned_float *number) {
    struct rounded result = {0, 0};
    uint64_t integer_bit = (uint64_t)1 << (format->precision - 1);
    if (number->kind == SCANNED_NUMBER) return round_to(format, number);
    if (number->kind == SCANNED_NOTHING) return result;
    result.biased_exponent = 2 * format->highest_exponent + 1;
    result.mantissa = integer_bit;
    if (number->kind == SCANNED_NAN)
        result.mantissa |= integer_bit >> 1 | (number->mantissa & ((integer_bit >> 1) - 1));
    return result;
}

static int is_negative(const struct scanned_float *number) {
    return number->kind != SCANNED_NOTHING && number->negative;
}

static float build_float(const struct scanned_float *number) {
    struct rounded bits = bits_of(&float_format, number);
    union float_bits result;
    result.bits = (uint32_t)(bits.mantissa & (((uint64_t)1 << FLOAT_FRACTION_BITS) - 1));
    result.bits |= (uint32_t)bits.biased_exponent << FLOAT_FRACTION_BITS;
    result.bits |= (uint32_t)is_negative(number) << 31;
    return result.value;
}

static double build_double(const struct scanned_float *number) {
    struct rounded bits = bits_of(&double_format, number);
    union double_bits result;
    result.bits = bits.mantissa & (((uint64_t)1 << DOUBLE_FRACTION_BITS) - 1);
    result.bits |= (uint64_t)bits.biased_exponent << DOUBLE_FRACTION_BITS;
    result.bits |= (uint64_t)is_negative(number) << 63;
    return result.value;
}

static long double build_long_double(const struct scanned_float *number) {
    struct rounded bits = bits_of(&long_double_format, number);
    return join_long_double_bits(bits.mantissa, bits.biased_exponent | is_negative(number) << 15);
}

#define SCAN_AND_MAKE(type, scanner, maker, build, format)                                                             \
    type scanner(const char *text, size_t limit, const char **end) {                                                   \
        struct scanned_float number = scan(text, limit, &(format));                                                    \
        *end = number.end;                                                                                             \
        return build(&number);                                                                                         \
    }                                                                                                                  \
    type maker(int negative, uint64_t mantissa, long exponent) {                                                       \
        struct scanned_float number = {SCANNED_NUMBER, negative, mantissa, 0, exponent, NULL};                         \
        return build(&number);                                                                                         \
    }

SCAN_AND_MAKE(float, __guest_scan_float, __guest_make_float, build_float, float_format)
SCAN_AND_MAKE(double, __guest_scan_double, __guest_make_double, build_double, double_format)
SCAN_AND_MAKE(long double, __guest_scan_long_double, __guest_make_long_double, build_long_double, long_double_format)

#define STRTO(type, name, scanner)                                                                                     \
    type name(const char *restrict text, char **restrict end) {                                                        \
        const char *stop;                                                                                              \
        type value = scanner(text, SIZE_MAX, &stop);                                                                   \
        if (end != NULL) *end = (char *)stop;                                                                          \
        return value;                                                                                                  \
    }

STRTO(float, strtof, __guest_scan_float)
STRTO(double, strtod, __guest_scan_double)
STRTO(long double, strtold, __guest_scan_long_double)

double atof(const char *text) { return strtod(text, NULL); }
