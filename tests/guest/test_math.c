/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of math.h that the library composes, against glibc's, bit by bit.
 */
#include "harness.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define DECLARE(name)                                                                                                  \
    GUEST(name);                                                                                                       \
    GUEST(name##f);                                                                                                    \
    GUEST(name##l)

DECLARE(ldexp);
DECLARE(frexp);
DECLARE(modf);
DECLARE(logb);
DECLARE(ilogb);
DECLARE(nextafter);
DECLARE(lround);
DECLARE(lrint);
DECLARE(llround);
DECLARE(llrint);
DECLARE(nan);
int guest___fpclassify(double), guest___fpclassifyf(float), guest___fpclassifyl(long double);
int guest___signbit(double), guest___isinf(double), guest___isnan(double), guest___finite(double);

static double random_double(void) {
    static const double simple[] = {
        0.0,      -0.0,      1,   -1,  0.5,   1.5, 2.5, -2.5, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308,
        INFINITY, -INFINITY, NAN, 1e9, 4.5e15};
    union {
        uint64_t bits;
        double value;
    } image = {random_bits()};
    if (random_below(4) == 0) return simple[random_below(sizeof simple / sizeof simple[0])];
    if (random_below(4) == 0) image.bits &= 0x800fffffffffffff; /* denormal */
    if (random_below(3) == 0) return (double)(int64_t)random_bits() / (double)(1ULL << random_below(64));
    return image.value;
}

/* Two NaNs are the same; zeros must have the same sign. */
static int same(long double left, long double right) {
    if (isnan(left) || isnan(right)) return isnan(left) && isnan(right);
    return left == right && signbit(left) == signbit(right);
}

#define COMPARE_ONE_TYPE(type, suffix)                                                                                 \
    do {                                                                                                               \
        type value = (type)number, other = (type)random_double(), integer, guest_integer;                              \
        int exponent = 0, guest_exponent = 0, by = (int)random_below(4400) - 2200;                                     \
        EXPECT(same(ldexp##suffix(value, by), guest_ldexp##suffix(value, by)), "ldexp(%La)", (long double)value);      \
        type fraction = frexp##suffix(value, &exponent), guest_fraction = guest_frexp##suffix(value, &guest_exponent); \
        EXPECT(same(fraction, guest_fraction), "frexp(%La)", (long double)value);                                      \
        EXPECT(!isfinite(value) || exponent == guest_exponent, "frexp(%La)", (long double)value);                      \
        fraction = modf##suffix(value, &integer), guest_fraction = guest_modf##suffix(value, &guest_integer);          \
        EXPECT(same(fraction, guest_fraction) && same(integer, guest_integer), "modf(%La)", (long double)value);       \
        EXPECT(same(logb##suffix(value), guest_logb##suffix(value)), "logb(%La)", (long double)value);                 \
        EXPECT(ilogb##suffix(value) == guest_ilogb##suffix(value), "ilogb(%La)", (long double)value);                  \
        EXPECT(same(nextafter##suffix(value, other), guest_nextafter##suffix(value, other)), "nextafter(%La, %La)",    \
               (long double)value, (long double)other);                                                                \
        EXPECT(llrint##suffix(value) == guest_llrint##suffix(value), "llrint(%La)", (long double)value);               \
        EXPECT(llround##suffix(value) == guest_llround##suffix(value), "llround(%La)", (long double)value);            \
        if (fabsl((long double)value) < 0x1p31L) {                                                                     \
            EXPECT(lrint##suffix(value) == guest_lrint##suffix(value), "lrint(%La)", (long double)value);              \
            EXPECT(lround##suffix(value) == guest_lround##suffix(value), "lround(%La)", (long double)value);           \
        }                                                                                                              \
        EXPECT(fpclassify(value) == guest___fpclassify##suffix(value), "fpclassify(%La)", (long double)value);         \
    } while (0)

static void check_long_double_neighbours(void) {
    long double values[] = {0x1p-16382L, 0x0.fffffffffffffffep-16382L, 1.0L, 0x1.fffffffffffffffep0L,
                            0x1p-16445L, 0x1.fffffffffffffffep16383L};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        EXPECT(same(nextafterl(values[i], INFINITY), guest_nextafterl(values[i], INFINITY)), "after %La", values[i]);
        EXPECT(same(nextafterl(values[i], 0), guest_nextafterl(values[i], 0)), "before %La", values[i]);
        EXPECT(same(nextafterl(-values[i], 0), guest_nextafterl(-values[i], 0)), "after %La", -values[i]);
    }
}

void test_math(unsigned rounds) {
    for (unsigned i = 0; i < rounds; i++) {
        double number = random_double();
        COMPARE_ONE_TYPE(double, );
        COMPARE_ONE_TYPE(float, f);
        COMPARE_ONE_TYPE(long double, l);
        EXPECT(!signbit(number) == !guest___signbit(number), "signbit(%a)", number);
        EXPECT(!isnan(number) == !guest___isnan(number) && !isfinite(number) == !guest___finite(number), "%a", number);
        EXPECT(isinf(number) == guest___isinf(number), "isinf(%a)", number);
    }
    check_long_double_neighbours();
    double wanted = nan("77"), given = guest_nan("77");
    EXPECT(memcmp(&wanted, &given, sizeof given) == 0, "nan");
    EXPECT(isnan(guest_nanf("")) && isnan(guest_nanl("x")), "nan");
}
