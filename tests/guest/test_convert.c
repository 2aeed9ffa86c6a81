/* SPDX-License-Identifier: Apache-2.0
 *
 * The strtol and strtod families against glibc's: value, end and errno.
 */
#include "harness.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

GUEST(strtol);
GUEST(strtoul);
GUEST(strtoll);
GUEST(strtoull);
GUEST(strtof);
GUEST(strtod);
GUEST(strtold);
GUEST(atoi);
GUEST(__errno_location);

#define guest_errno (*guest___errno_location())

#define COMPARE_INTEGER(type, function, text, base)                                                                    \
    do {                                                                                                               \
        char *end = NULL, *guest_end = NULL;                                                                           \
        errno = guest_errno = 0;                                                                                       \
        type value = function(text, &end, base);                                                                       \
        type guest_value = guest_##function(text, &guest_end, base);                                                   \
        EXPECT(value == guest_value && end == guest_end && errno == guest_errno,                                       \
               #function "(\"%s\", %d): %lld errno %d, not %lld errno %d", text, base, (long long)guest_value,         \
               guest_errno, (long long)value, errno);                                                                  \
    } while (0)

static void compare_integer(const char *text, int base) {
    COMPARE_INTEGER(long, strtol, text, base);
    COMPARE_INTEGER(unsigned long, strtoul, text, base);
    COMPARE_INTEGER(long long, strtoll, text, base);
    COMPARE_INTEGER(unsigned long long, strtoull, text, base);
}

static void compare_integers(unsigned rounds) {
    static const char *const texts[] = {"",
                                        " ",
                                        "-",
                                        "+",
                                        "0",
                                        "00",
                                        "0x",
                                        "0xg",
                                        "0x1",
                                        " \t\n12",
                                        "-0",
                                        "+-1",
                                        "- 1",
                                        "9223372036854775807",
                                        "9223372036854775808",
                                        "-9223372036854775808",
                                        "-9223372036854775809",
                                        "18446744073709551615",
                                        "18446744073709551616",
                                        "-18446744073709551615",
                                        "2147483647",
                                        "2147483648",
                                        "-2147483648",
                                        "-2147483649",
                                        "4294967295",
                                        "4294967296",
                                        "99999999999999999999999",
                                        "-99999999999999999999999",
                                        "0777",
                                        "08",
                                        "zz",
                                        "ZZ",
                                        "1_",
                                        "0b101",
                                        "0X7fffffffffffffff",
                                        "0x80000000",
                                        "-0x",
                                        "0x-1",
                                        "\v\f\r7"};
    static const int bases[] = {0, 2, 8, 10, 16, 36, 3, 1, 37, -1};
    char text[64];
    for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++)
        for (size_t b = 0; b < sizeof bases / sizeof bases[0]; b++) compare_integer(texts[t], bases[b]);
    for (unsigned i = 0; i < rounds; i++) {
        static const char alphabet[] = "0123456789abcxXzZ -+";
        size_t length = random_below(24);
        for (size_t k = 0; k < length; k++)
            text[k] = alphabet[random_below(random_below(2) ? 10 : sizeof alphabet - 1)];
        text[length] = '\0';
        compare_integer(text, bases[random_below(7)]);
        sprintf(text, random_below(2) ? "%" PRId64 : "%#" PRIx64, random_bits() >> random_below(64));
        compare_integer(text, bases[random_below(7)]);
        EXPECT(atoi(text) == guest_atoi(text), "atoi(%s)", text);
    }
}

/* glibc's strtof of 32-bit programs forgets ERANGE for some inexact hexadecimal numbers below the normal ones. */
static int is_known_bug(const char *text, int wanted_errno) {
    return sizeof(long) == 4 && wanted_errno == 0 && strpbrk(text, "xX") != NULL;
}

#define COMPARE_FLOAT(type, function, text, bytes)                                                                     \
    do {                                                                                                               \
        char *end = NULL, *guest_end = NULL;                                                                           \
        errno = guest_errno = 0;                                                                                       \
        type value = function(text, &end);                                                                             \
        int wanted_errno = errno;                                                                                      \
        type guest_value = guest_##function(text, &guest_end);                                                         \
        if (sizeof(type) == sizeof(float) && is_known_bug(text, wanted_errno)) guest_errno = 0;                        \
        EXPECT(memcmp(&value, &guest_value, bytes) == 0 && end == guest_end && wanted_errno == guest_errno,            \
               #function "(\"%.300s\"): %La errno %d, not %La errno %d, end %d, not %d", text,                         \
               (long double)guest_value, guest_errno, (long double)value, wanted_errno, (int)(guest_end - text),       \
               (int)(end - text));                                                                                     \
    } while (0)

static void compare_float(const char *text) {
    COMPARE_FLOAT(float, strtof, text, 4);
    COMPARE_FLOAT(double, strtod, text, 8);
    COMPARE_FLOAT(long double, strtold, text, 10);
}

/* Exactly halfway between two neighbours, and a digit that decides it far behind. */
static void compare_halves(void) {
    static char text[20000];
    union {
        double value;
        uint64_t bits;
    } image;
    image.bits = random_bits() & ~((uint64_t)3 << 62);
    if (random_below(4) == 0) image.bits &= 0x000fffffffffffff; /* denormal */
    long double middle = (long double)image.value;
    image.bits++;
    middle = (middle + (long double)image.value) / 2;
    size_t length = (size_t)sprintf(text, "%.1100Lf", middle);
    compare_float(text);
    strcpy(text + length, "1");
    compare_float(text);
    if (text[length - 1] == '0') return;
    text[length - 1]--;
    compare_float(text);
}

static void compare_random_float(void) {
    char text[400];
    union {
        double value;
        uint64_t bits;
    } image;
    image.bits = random_bits();
    switch (random_below(7)) {
    case 0: sprintf(text, "%.*g", (int)random_below(25), image.value); break;
    case 1: sprintf(text, "%.*a", (int)random_below(20), image.value); break;
    case 2: sprintf(text, "%" PRIu64 "e%d", random_bits() >> random_below(64), (int)random_below(700) - 350); break;
    case 3:
        sprintf(text, "%" PRIu64 ".%" PRIu64 "e%d", random_bits(), random_bits(), (int)random_below(100) - 50);
        break;
    case 4:
        sprintf(text, "0x%" PRIx64 ".%" PRIx64 "p%d", random_bits() >> random_below(64), random_bits(),
                (int)random_below(2400) - 1200);
        break;
    case 5: sprintf(text, "%" PRIu64 "e%d", random_bits() >> random_below(64), (int)random_below(10100) - 5000); break;
    default: {
        static const char alphabet[] = "0123456789.e+-xpinfa ";
        size_t length = random_below(12);
        for (size_t k = 0; k < length; k++)
            text[k] = alphabet[random_below(random_below(2) ? 11 : sizeof alphabet - 1)];
        text[length] = '\0';
        break;
    }
    }
    compare_float(text);
}

static void compare_special_floats(void) {
    static const char *const texts[] = {
        "",
        ".",
        "-",
        "+.",
        "1.",
        ".5",
        "1e",
        "1e+",
        "1e5x",
        "0x",
        "0x.",
        "0x.p1",
        "0x1p",
        "0x1p+",
        "0x1.8p3",
        "0X.8P-2",
        "inf",
        "INFINITY",
        "-inf",
        "infinit",
        "nan",
        "NaN",
        "-nan",
        "nan(",
        "nan(123)",
        "nan(0x1f)",
        "nan(abc)",
        "nan(1 2)",
        "1e400",
        "-1e400",
        "1e5000",
        "-1e-400",
        "1e-5000",
        "1e99999999999999999999",
        "1e-99999999999999999999",
        "0e99999999999999999999",
        "0.0000000000e5",
        "-0",
        "-0.0e-5",
        "  \t1.5",
        "1,5",
        "1.5.5",
        "0x10000000000000000p-64",
        "2.2250738585072011e-308",
        "2.2250738585072012e-308",
        "2.2250738585072014e-308",
        "4.9406564584124654e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "3.4028235677973366e38",
        "3.4028235677973365e38",
        "1.1754943508222875e-38",
        "1.40129846432481707e-45",
        "7.00649232162408535461864791644958065640130970938257885878534141944895541342930300743319094"
        "181060791015625e-46",
        "1.18973149535723176508e4932",
        "1.18973149535723176502e4932",
        "3.6e-4951",
        "1.8e-4951",
        "1.9e-4951",
        "0x1.fffffffffffff7p-1023",
        "0x1.fffffffffffff8p-1023",
        "0x0.fffffffffffff8p-1022",
        "0x0.fffffffffffff7fp-1022",
        "0x1.fffffffffffff7ffffffp1023",
        "0x1.fffffffffffff8p1023",
        "0x1p-1074",
        "0x1p-1075",
        "0x1.000001p-1075",
        "9007199254740993",
        "9007199254740992.999999999999999999999999",
        "123456789012345678901234567890"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) compare_float(texts[i]);
}

void test_convert(unsigned rounds) {
    compare_integers(rounds);
    compare_special_floats();
    for (unsigned i = 0; i < rounds; i++) compare_random_float();
    for (unsigned i = 0; i < rounds / 100; i++) compare_halves();
}
