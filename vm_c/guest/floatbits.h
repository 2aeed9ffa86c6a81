/* SPDX-License-Identifier: Apache-2.0
 *
 * The bits of float, double and the x86 long double, and nothing computed: reading and building values bit by bit is
 * exact in every rounding mode and on every machine.
 */
#ifndef PANCAM_GUEST_FLOATBITS_H
#define PANCAM_GUEST_FLOATBITS_H

#include <stdint.h>

enum {
    DOUBLE_FRACTION_BITS = 52,
    DOUBLE_BIAS = 1023,
    DOUBLE_TOP_EXPONENT = 0x7ff, /* infinities and NaNs */
    FLOAT_FRACTION_BITS = 23,
    FLOAT_BIAS = 127,
    FLOAT_TOP_EXPONENT = 0xff,
    LONG_DOUBLE_BIAS = 16383,
    LONG_DOUBLE_TOP_EXPONENT = 0x7fff
};

union float_bits {
    float value;
    uint32_t bits;
};

union double_bits {
    double value;
    uint64_t bits;
};

/* The mantissa has an explicit integer bit at the top. */
struct long_double_parts {
    uint64_t mantissa;
    uint16_t sign_exponent;
};

/* Used as volatile: the optimiser would otherwise make an 80-bit integer of the value and take parts out of that. */
union long_double_bits {
    long double value;
    struct long_double_parts part;
};

static inline struct long_double_parts split_long_double_bits(long double value) {
    volatile union long_double_bits image;
    struct long_double_parts part;
    image.value = value;
    part.mantissa = image.part.mantissa;
    part.sign_exponent = image.part.sign_exponent;
    return part;
}

static inline long double join_long_double_bits(uint64_t mantissa, int sign_exponent) {
    volatile union long_double_bits image;
    image.part.mantissa = mantissa;
    image.part.sign_exponent = (uint16_t)sign_exponent;
    return image.value;
}

#endif
