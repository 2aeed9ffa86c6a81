/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of math.h that are made of bits or of the machine's own (../math.def): splitting and scaling, rounding
 * to integers, neighbours, classification. Each exists for double, float and long double.
 */
#include "library.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>

#include "convert.h"
#include "floatbits.h"

/* A value taken apart: mantissa * 2^exponent, with the mantissa's top bit set, when it is finite and not zero. */
struct taken_apart {
    int class; /* FP_NAN, FP_INFINITE, FP_ZERO, FP_SUBNORMAL, FP_NORMAL */
    int negative;
    uint64_t mantissa;
    int exponent;
};

static struct taken_apart classify(int negative, int biased, int top, int bias, uint64_t integer_bit, uint64_t fraction,
                                   int fraction_bits) {
    struct taken_apart result = {FP_NORMAL, negative, fraction, 0};
    if (biased == top) {
        result.class = fraction == 0 ? FP_INFINITE : FP_NAN;
    } else if (biased == 0) {
        result.class = fraction == 0 ? FP_ZERO : FP_SUBNORMAL;
        biased = 1;
    } else {
        result.mantissa |= integer_bit;
    }
    result.exponent = biased - bias - fraction_bits;
    for (; result.mantissa != 0 && result.mantissa >> 63 == 0; result.exponent--) result.mantissa <<= 1;
    return result;
}

static struct taken_apart take_double(double value) {
    union double_bits image = {value};
    uint64_t integer_bit = (uint64_t)1 << DOUBLE_FRACTION_BITS;
    return classify((int)(image.bits >> 63), (int)(image.bits >> DOUBLE_FRACTION_BITS) & DOUBLE_TOP_EXPONENT,
                    DOUBLE_TOP_EXPONENT, DOUBLE_BIAS, integer_bit, image.bits & (integer_bit - 1),
                    DOUBLE_FRACTION_BITS);
}

static struct taken_apart take_float(float value) {
    union float_bits image = {value};
    uint32_t integer_bit = (uint32_t)1 << FLOAT_FRACTION_BITS;
    return classify((int)(image.bits >> 31), (int)(image.bits >> FLOAT_FRACTION_BITS) & FLOAT_TOP_EXPONENT,
                    FLOAT_TOP_EXPONENT, FLOAT_BIAS, integer_bit, image.bits & (integer_bit - 1), FLOAT_FRACTION_BITS);
}

static struct taken_apart take_long_double(long double value) {
    struct long_double_parts image = split_long_double_bits(value);
    uint64_t integer_bit = (uint64_t)1 << 63;
    return classify(image.sign_exponent >> 15, image.sign_exponent & LONG_DOUBLE_TOP_EXPONENT, LONG_DOUBLE_TOP_EXPONENT,
                    LONG_DOUBLE_BIAS, integer_bit, image.mantissa & (integer_bit - 1), 63);
}

/* What the macros of math.h and older programs call. */
#undef isnan
#undef isinf
#undef finite
#undef signbit
#undef fpclassify
#undef isfinite
#define CLASSIFICATION(type, suffix, take)                                                                             \
    PROTOTYPE(int, __fpclassify##suffix, (type value)) { return take(value).class; }                                   \
    PROTOTYPE(int, __signbit##suffix, (type value)) { return take(value).negative; }                                   \
    PROTOTYPE(int, __isnan##suffix, (type value)) { return take(value).class == FP_NAN; }                              \
    PROTOTYPE(int, __finite##suffix, (type value)) {                                                                   \
        int class = take(value).class;                                                                                 \
        return class != FP_NAN && class != FP_INFINITE;                                                                \
    }                                                                                                                  \
    PROTOTYPE(int, __isinf##suffix, (type value)) {                                                                    \
        struct taken_apart parts = take(value);                                                                        \
        return parts.class != FP_INFINITE ? 0 : parts.negative ? -1 : 1;                                               \
    }                                                                                                                  \
    PROTOTYPE(int, isnan##suffix, (type value)) { return __isnan##suffix(value); }                                     \
    PROTOTYPE(int, isinf##suffix, (type value)) { return __isinf##suffix(value); }                                     \
    PROTOTYPE(int, finite##suffix, (type value)) { return __finite##suffix(value); }

CLASSIFICATION(double, , take_double)
CLASSIFICATION(float, f, take_float)
CLASSIFICATION(long double, l, take_long_double)

/* Errno tells when a number became zero or infinite. */
#define SCALING(type, suffix, take, make)                                                                              \
    type scalbln##suffix(type value, long exponent) {                                                                  \
        struct taken_apart parts = take(value);                                                                        \
        if (parts.class != FP_NORMAL && parts.class != FP_SUBNORMAL)                                                   \
            return parts.class == FP_NAN ? value + value : value;                                                      \
        exponent = exponent > SCALE_LIMIT ? SCALE_LIMIT : exponent < -SCALE_LIMIT ? -SCALE_LIMIT : exponent;           \
        int saved_errno = errno;                                                                                       \
        value = make(parts.negative, parts.mantissa, parts.exponent + exponent);                                       \
        errno = value == 0 || !__finite##suffix(value) ? ERANGE : saved_errno;                                         \
        return value;                                                                                                  \
    }                                                                                                                  \
    type scalbn##suffix(type value, int exponent) { return scalbln##suffix(value, exponent); }                         \
    type ldexp##suffix(type value, int exponent) { return scalbln##suffix(value, exponent); }                          \
    type frexp##suffix(type value, int *exponent) {                                                                    \
        struct taken_apart parts = take(value);                                                                        \
        *exponent = 0;                                                                                                 \
        if (parts.class != FP_NORMAL && parts.class != FP_SUBNORMAL) return value + value;                             \
        *exponent = parts.exponent + 64;                                                                               \
        return make(parts.negative, parts.mantissa, -64);                                                              \
    }                                                                                                                  \
    int ilogb##suffix(type value) {                                                                                    \
        struct taken_apart parts = take(value);                                                                        \
        if (parts.class == FP_NORMAL || parts.class == FP_SUBNORMAL) return parts.exponent + 63;                       \
        errno = EDOM;                                                                                                  \
        return parts.class == FP_ZERO ? FP_ILOGB0 : parts.class == FP_NAN ? FP_ILOGBNAN : INT_MAX;                     \
    }                                                                                                                  \
    type logb##suffix(type value) {                                                                                    \
        struct taken_apart parts = take(value);                                                                        \
        if (parts.class == FP_NORMAL || parts.class == FP_SUBNORMAL) return (type)(parts.exponent + 63);               \
        if (parts.class != FP_ZERO) return value * value;                                                              \
        errno = ERANGE;                                                                                                \
        return -(type)INFINITY;                                                                                        \
    }

enum { SCALE_LIMIT = 100000 }; /* beyond it every number of every type is zero or infinite */

SCALING(double, , take_double, __guest_make_double)
SCALING(float, f, take_float, __guest_make_float)
SCALING(long double, l, take_long_double, __guest_make_long_double)

/* The difference of a number and its integer part is exact; it keeps the sign when it is zero. */
#define SPLITTING(type, suffix)                                                                                        \
    type modf##suffix(type value, type *integer) {                                                                     \
        *integer = __isnan##suffix(value) ? value + value : trunc##suffix(value);                                      \
        if (__isinf##suffix(value)) return copysign##suffix(0, value);                                                 \
        return copysign##suffix(value - *integer, value);                                                              \
    }                                                                                                                  \
    void sincos##suffix(type value, type *sine, type *cosine) {                                                        \
        *sine = sin##suffix(value);                                                                                    \
        *cosine = cos##suffix(value);                                                                                  \
    }

SPLITTING(double, )
SPLITTING(float, f)
SPLITTING(long double, l)

/* Rounding to an integer type. What does not fit gives the lowest number, as x86 does. */
#define INTEGRAL(result, lowest, name, rounding, type)                                                                 \
    result name(type value) {                                                                                          \
        type rounded = rounding(value);                                                                                \
        type bound = -(type)(lowest); /* a power of two */                                                             \
        return rounded >= -bound && rounded < bound ? (result)rounded : (lowest);                                      \
    }

INTEGRAL(long, LONG_MIN, lround, round, double)
INTEGRAL(long, LONG_MIN, lroundf, roundf, float)
INTEGRAL(long, LONG_MIN, lroundl, roundl, long double)
INTEGRAL(long, LONG_MIN, lrint, rint, double)
INTEGRAL(long, LONG_MIN, lrintf, rintf, float)
INTEGRAL(long, LONG_MIN, lrintl, rintl, long double)
INTEGRAL(long long, LLONG_MIN, llround, round, double)
INTEGRAL(long long, LLONG_MIN, llroundf, roundf, float)
INTEGRAL(long long, LLONG_MIN, llroundl, roundl, long double)
INTEGRAL(long long, LLONG_MIN, llrint, rint, double)
INTEGRAL(long long, LLONG_MIN, llrintf, rintf, float)
INTEGRAL(long long, LLONG_MIN, llrintl, rintl, long double)

/* One step away from zero is the next larger number as an integer, whatever the exponents are. */
#define NEXT_AFTER(type, suffix, image_type)                                                                           \
    type nextafter##suffix(type from, type to) {                                                                       \
        union image_type image = {from};                                                                               \
        if (__isnan##suffix(from) || __isnan##suffix(to)) return from + to;                                            \
        if (from == to) return to;                                                                                     \
        if (from == 0) {                                                                                               \
            image.bits = 1;                                                                                            \
            errno = ERANGE;                                                                                            \
            return to > 0 ? image.value : -image.value;                                                                \
        }                                                                                                              \
        image.bits = (from < to) == (from > 0) ? image.bits + 1 : image.bits - 1;                                      \
        int class = __fpclassify##suffix(image.value);                                                                 \
        if (class != FP_NORMAL) errno = ERANGE;                                                                        \
        return image.value;                                                                                            \
    }

NEXT_AFTER(double, , double_bits)
NEXT_AFTER(float, f, float_bits)

/* The integer bit is explicit: a mantissa that leaves its range moves the exponent. */
long double nextafterl(long double from, long double to) {
    struct long_double_parts image = split_long_double_bits(from);
    const uint64_t integer_bit = (uint64_t)1 << 63;
    if (__isnanl(from) || __isnanl(to)) return from + to;
    if (from == to) return to;
    if (from == 0) {
        errno = ERANGE;
        return join_long_double_bits(1, (to < 0) << 15);
    }
    int denormal = (image.sign_exponent & LONG_DOUBLE_TOP_EXPONENT) == 0;
    if ((from < to) == (from > 0)) {
        image.mantissa++;
        if (image.mantissa == 0 || (denormal && image.mantissa == integer_bit)) {
            image.mantissa = integer_bit;
            image.sign_exponent++;
        }
    } else {
        image.mantissa--;
        if (!denormal && image.mantissa == integer_bit - 1) {
            image.sign_exponent--;
            if ((image.sign_exponent & LONG_DOUBLE_TOP_EXPONENT) != 0) image.mantissa |= integer_bit;
        }
    }
    long double result = join_long_double_bits(image.mantissa, image.sign_exponent);
    if (__fpclassifyl(result) != FP_NORMAL) errno = ERANGE;
    return result;
}

/* The payload of a NaN is the number that its tag spells. */
static uint64_t payload_of(const char *tag) {
    struct scanned_integer number = __guest_scan_integer(tag, SIZE_MAX, 0, 0);
    return *number.end == '\0' ? number.magnitude : 0;
}

double nan(const char *tag) {
    union double_bits image;
    image.bits = 0x7ff8000000000000 | (payload_of(tag) & 0x7ffffffffffff);
    return image.value;
}

float nanf(const char *tag) {
    union float_bits image;
    image.bits = 0x7fc00000 | (uint32_t)(payload_of(tag) & 0x3fffff);
    return image.value;
}

long double nanl(const char *tag) {
    uint64_t mantissa = 0xc000000000000000 | (payload_of(tag) & 0x3fffffffffffffff);
    return join_long_double_bits(mantissa, LONG_DOUBLE_TOP_EXPONENT);
}
