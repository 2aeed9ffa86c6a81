/* SPDX-License-Identifier: Apache-2.0
 *
 * The conversions a, e, f and g of the printf family. The decimal expansion is exact: the number becomes an integer in
 * base 10^9 and a power of ten, is rounded there (to nearest, ties to even), and its digits are read off.
 */
#include "library.h"

#include <stdint.h>
#include <string.h>

#include "floatbits.h"
#include "format.h"

enum { WORD_DIGITS = 9, WORD_BASE = 1000000000 };

static const uint32_t powers_of_ten[WORD_DIGITS + 1] = {1,      10,      100,      1000,      10000,
                                                        100000, 1000000, 10000000, 100000000, WORD_BASE};

/* mantissa * 2^exponent, or an infinity or a NaN. The other members describe the hexadecimal form: the digit before the
 * point, those behind it from the top bit of `fraction` on, and the exponent written after p. */
struct parts {
    enum { PARTS_FINITE, PARTS_INFINITE, PARTS_NAN } kind;
    int negative;
    uint64_t mantissa;
    int exponent;
    unsigned hex_leading;
    uint64_t hex_fraction;
    int hex_digits;
    int hex_exponent;
};

static void split_double(double value, struct parts *parts) {
    union double_bits image = {value};
    uint64_t fraction = image.bits & (((uint64_t)1 << DOUBLE_FRACTION_BITS) - 1);
    int biased = (int)(image.bits >> DOUBLE_FRACTION_BITS) & DOUBLE_TOP_EXPONENT;
    int normal = biased != 0;
    parts->negative = (int)(image.bits >> 63);
    if (biased == DOUBLE_TOP_EXPONENT) parts->kind = fraction == 0 ? PARTS_INFINITE : PARTS_NAN;
    parts->mantissa = fraction | (uint64_t)normal << DOUBLE_FRACTION_BITS;
    parts->exponent = biased + !normal - DOUBLE_BIAS - DOUBLE_FRACTION_BITS;
    parts->hex_leading = (unsigned)normal;
    parts->hex_fraction = fraction << (64 - DOUBLE_FRACTION_BITS);
    parts->hex_digits = DOUBLE_FRACTION_BITS / 4;
    parts->hex_exponent = parts->mantissa == 0 ? 0 : biased + !normal - DOUBLE_BIAS;
}

/* The digit before the point is made of the top four bits, as glibc does. */
static void split_long_double(long double value, struct parts *parts) {
    struct long_double_parts image = split_long_double_bits(value);
    uint64_t mantissa = image.mantissa;
    int biased = image.sign_exponent & LONG_DOUBLE_TOP_EXPONENT;
    int shift = LONG_DOUBLE_BIAS - (biased == 0);
    parts->negative = image.sign_exponent >> 15;
    if (biased == LONG_DOUBLE_TOP_EXPONENT) parts->kind = mantissa << 1 == 0 ? PARTS_INFINITE : PARTS_NAN;
    parts->mantissa = mantissa;
    parts->exponent = biased - shift - 63;
    parts->hex_leading = (unsigned)(mantissa >> 60);
    parts->hex_fraction = mantissa << 4;
    parts->hex_digits = 15;
    parts->hex_exponent = mantissa == 0 ? 0 : biased - shift - 3;
}

/* The integer of `count` words, least significant first, divided by 10^scale. */
struct decimal {
    uint32_t *words;
    int count;
    int scale;
    int digits; /* decimal digits of the integer; 0 for zero */
};

static void multiply(struct decimal *number, uint64_t factor) {
    uint64_t carry = 0;
    for (int i = 0; i < number->count; i++) {
        carry += number->words[i] * factor;
        number->words[i] = (uint32_t)(carry % WORD_BASE);
        carry /= WORD_BASE;
    }
    for (; carry != 0; carry /= WORD_BASE) number->words[number->count++] = (uint32_t)(carry % WORD_BASE);
}

static void count_digits(struct decimal *number) {
    number->digits = 0;
    if (number->count == 0) return;
    number->digits = (number->count - 1) * WORD_DIGITS;
    for (uint32_t top = number->words[number->count - 1]; top != 0; top /= 10) number->digits++;
}

/* Words that the expansion can need: 5^k has less than 7/3 k bits, a word holds more than 29. */
static size_t words_needed(const struct parts *parts) {
    int bits = 64 + (parts->exponent >= 0 ? parts->exponent : -parts->exponent * 7 / 3);
    return (size_t)bits / 29 + 3;
}

/* m * 2^-k is m * 5^k / 10^k. The factors keep word * factor + carry below 2^64. */
static void expand(const struct parts *parts, struct decimal *number) {
    int left = parts->exponent;
    for (uint64_t rest = parts->mantissa; rest != 0; rest /= WORD_BASE)
        number->words[number->count++] = (uint32_t)(rest % WORD_BASE);
    number->scale = left < 0 ? -left : 0;
    for (; left >= 34; left -= 34) multiply(number, (uint64_t)1 << 34);
    if (left > 0) multiply(number, (uint64_t)1 << left);
    for (; left <= -13; left += 13) multiply(number, 1220703125); /* 5^13 */
    uint64_t rest = 1;
    for (; left < 0; left++) rest *= 5;
    if (rest != 1) multiply(number, rest);
    count_digits(number);
}

/* Rounds to a multiple of 10^position. Digits below that are not cleared: nobody reads them. */
static void round_at(struct decimal *number, int position) {
    if (position <= 0 || number->count == 0) return;
    if (position > number->digits) {
        number->count = number->digits = 0;
        return;
    }
    int word = (position - 1) / WORD_DIGITS;
    uint32_t unit = powers_of_ten[position - word * WORD_DIGITS];
    uint32_t rest = number->words[word] % unit, half = unit / 2;
    int odd, below = 0;
    if (unit == WORD_BASE)
        odd = word + 1 < number->count && (number->words[word + 1] & 1) != 0;
    else
        odd = (number->words[word] / unit & 1) != 0;
    for (int i = 0; i < word; i++) below |= number->words[i] != 0;
    number->words[word] -= rest;
    if (rest > half || (rest == half && (below || odd))) {
        uint32_t carry = unit;
        for (; carry != 0; word++) {
            if (word == number->count) number->words[number->count++] = 0;
            uint32_t sum = number->words[word] + carry;
            carry = sum >= WORD_BASE;
            number->words[word] = carry ? sum - WORD_BASE : sum;
        }
    }
    while (number->count != 0 && number->words[number->count - 1] == 0) number->count--;
    count_digits(number);
}

static char digit_at(const struct decimal *number, int position) {
    if (position < 0 || position >= number->digits) return '0';
    return (char)('0' + number->words[position / WORD_DIGITS] / powers_of_ten[position % WORD_DIGITS] % 10);
}

static void put_digits(struct sink *sink, const struct decimal *number, int from, long long count) {
    for (; count > 0 && from >= 0; count--, from--) __guest_put(sink, digit_at(number, from));
    __guest_pad(sink, '0', count);
}

static int is_upper(const struct conversion *conversion) {
    return conversion->letter >= 'A' && conversion->letter <= 'Z';
}

static const char *sign_text(const struct conversion *conversion, int negative) {
    if (negative) return "-";
    if ((conversion->flags & FLAG_PLUS) != 0) return "+";
    return (conversion->flags & FLAG_SPACE) != 0 ? " " : "";
}

/* Spaces before, sign and prefix, zeros: all that precedes `length` characters. Returns the spaces due after them. */
static long long put_lead(struct sink *sink, const struct conversion *conversion, const char *sign, const char *prefix,
                          long long length) {
    long long padding = conversion->width.value - length - (long long)strlen(sign) - (long long)strlen(prefix);
    int zeros = (conversion->flags & (FLAG_ZERO | FLAG_LEFT)) == FLAG_ZERO;
    int left = (conversion->flags & FLAG_LEFT) != 0;
    if (!zeros && !left) __guest_pad(sink, ' ', padding);
    __guest_put_text(sink, sign, strlen(sign));
    __guest_put_text(sink, prefix, strlen(prefix));
    if (zeros) __guest_pad(sink, '0', padding);
    return left ? padding : 0;
}

/* The letter, the sign and at least `least` digits; returns the length. */
static size_t write_exponent(char *to, char letter, int exponent, int least) {
    char digits[8];
    int magnitude = exponent < 0 ? -exponent : exponent, count = 0;
    size_t length = 2;
    to[0] = letter;
    to[1] = exponent < 0 ? '-' : '+';
    for (; magnitude != 0 || count < least; magnitude /= 10) digits[count++] = (char)('0' + magnitude % 10);
    while (count != 0) to[length++] = digits[--count];
    return length;
}

/* The number is rounded already: at least `precision` digits behind the point are right. */
static void put_fixed(struct sink *sink, const struct conversion *conversion, const char *sign,
                      const struct decimal *number, long long precision) {
    int before = number->digits > number->scale ? number->digits - number->scale : 1;
    int point = precision > 0 || (conversion->flags & FLAG_ALTERNATIVE) != 0;
    long long after = put_lead(sink, conversion, sign, "", before + point + precision);
    put_digits(sink, number, before - 1 + number->scale, before);
    if (point) __guest_put(sink, '.');
    put_digits(sink, number, number->scale - 1, precision);
    __guest_pad(sink, ' ', after);
}

static void put_scientific(struct sink *sink, const struct conversion *conversion, const char *sign,
                           const struct decimal *number, long long precision) {
    char exponent[8];
    int top = number->digits - 1;
    int point = precision > 0 || (conversion->flags & FLAG_ALTERNATIVE) != 0;
    size_t length = write_exponent(exponent, is_upper(conversion) ? 'E' : 'e', top < 0 ? 0 : top - number->scale, 2);
    long long after = put_lead(sink, conversion, sign, "", 1 + point + precision + (long long)length);
    __guest_put(sink, digit_at(number, top));
    if (point) __guest_put(sink, '.');
    put_digits(sink, number, top - 1, precision);
    __guest_put_text(sink, exponent, length);
    __guest_pad(sink, ' ', after);
}

/* Position of the last of `count` digits counted from the top; far below zero when there are not so many. */
static int position_below(int top, long long count) { return count > top ? -1 : (int)(top - count); }

static void put_general(struct sink *sink, const struct conversion *conversion, const char *sign,
                        struct decimal *number, long long significant) {
    if (significant == 0) significant = 1;
    round_at(number, position_below(number->digits, significant));
    int top = number->digits - 1;
    int exponent = top < 0 ? 0 : top - number->scale;
    int fixed = exponent >= -4 && exponent < significant;
    long long precision = fixed ? significant - 1 - exponent : significant - 1;
    int first = fixed ? number->scale - 1 : top - 1; /* position of the first digit behind the point */
    if ((conversion->flags & FLAG_ALTERNATIVE) == 0) {
        if (precision > (long long)first + 1) precision = first < 0 ? 0 : first + 1;
        while (precision > 0 && digit_at(number, (int)(first - precision + 1)) == '0') precision--;
    }
    if (fixed)
        put_fixed(sink, conversion, sign, number, precision);
    else
        put_scientific(sink, conversion, sign, number, precision);
}

static void put_decimal(struct sink *sink, const struct conversion *conversion, const struct parts *parts) {
    uint32_t words[words_needed(parts)]; /* as large as this number needs, a few words as a rule */
    struct decimal number = {words, 0, 0, 0};
    const char *sign = sign_text(conversion, parts->negative);
    long long precision = conversion->precision.given ? conversion->precision.value : 6;
    expand(parts, &number);
    switch (conversion->letter) {
    case 'f':
    case 'F':
        round_at(&number, position_below(number.scale, precision));
        put_fixed(sink, conversion, sign, &number, precision);
        break;
    case 'e':
    case 'E':
        round_at(&number, position_below(number.digits - 1, precision));
        put_scientific(sink, conversion, sign, &number, precision);
        break;
    default: put_general(sink, conversion, sign, &number, precision); break;
    }
}

/* Cuts the digits behind the point to `precision`, to nearest and even. */
static void round_hexadecimal(struct parts *parts, int precision) {
    if (precision >= parts->hex_digits) return;
    int kept = 4 * precision;
    uint64_t below = parts->hex_fraction << kept, half = (uint64_t)1 << 63;
    uint64_t top = kept == 0 ? 0 : parts->hex_fraction >> (64 - kept);
    int odd = kept == 0 ? parts->hex_leading & 1 : (int)(top & 1);
    top += below > half || (below == half && odd);
    if (kept == 0) {
        parts->hex_leading += (unsigned)top;
        parts->hex_fraction = 0;
        return;
    }
    parts->hex_leading += (unsigned)(top >> kept);
    parts->hex_fraction = top << (64 - kept);
}

static void put_hexadecimal(struct sink *sink, const struct conversion *conversion, struct parts *parts) {
    const char *digits = is_upper(conversion) ? "0123456789ABCDEF" : "0123456789abcdef";
    char exponent[8];
    long long precision = conversion->precision.value;
    if (conversion->precision.given) {
        round_hexadecimal(parts, precision > 16 ? 16 : (int)precision);
    } else {
        for (uint64_t rest = parts->hex_fraction; rest != 0; rest <<= 4) precision++;
    }
    if (parts->hex_leading == 16) {
        parts->hex_leading = 1;
        parts->hex_exponent += 4;
    }
    int point = precision > 0 || (conversion->flags & FLAG_ALTERNATIVE) != 0;
    size_t length = write_exponent(exponent, is_upper(conversion) ? 'P' : 'p', parts->hex_exponent, 1);
    long long after = put_lead(sink, conversion, sign_text(conversion, parts->negative),
                               is_upper(conversion) ? "0X" : "0x", 1 + point + precision + (long long)length);
    __guest_put(sink, digits[parts->hex_leading]);
    if (point) __guest_put(sink, '.');
    for (; precision > 0; precision--, parts->hex_fraction <<= 4) __guest_put(sink, digits[parts->hex_fraction >> 60]);
    __guest_put_text(sink, exponent, length);
    __guest_pad(sink, ' ', after);
}

static void put_special(struct sink *sink, const struct conversion *conversion, const struct parts *parts) {
    struct conversion spaced = *conversion;
    const char *text = parts->kind == PARTS_NAN ? "nan" : "inf";
    if (is_upper(conversion)) text = parts->kind == PARTS_NAN ? "NAN" : "INF";
    spaced.flags &= ~(unsigned)FLAG_ZERO;
    long long after = put_lead(sink, &spaced, sign_text(conversion, parts->negative), "", 3);
    __guest_put_text(sink, text, 3);
    __guest_pad(sink, ' ', after);
}

void __guest_format_float(struct sink *sink, const struct conversion *conversion, const union argument *value) {
    struct parts parts = {.kind = PARTS_FINITE};
    if (conversion->long_double)
        split_long_double(value->long_floating, &parts);
    else
        split_double(value->floating, &parts);
    if (parts.kind != PARTS_FINITE) {
        put_special(sink, conversion, &parts);
    } else if (conversion->letter == 'a' || conversion->letter == 'A') {
        put_hexadecimal(sink, conversion, &parts);
    } else {
        if (parts.mantissa == 0) parts.exponent = 0;
        for (; parts.mantissa != 0 && (parts.mantissa & 1) == 0; parts.exponent++)
            parts.mantissa >>= 1; /* shortens the expansion */
        put_decimal(sink, conversion, &parts);
    }
}
