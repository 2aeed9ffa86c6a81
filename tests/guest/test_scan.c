/* SPDX-License-Identifier: Apache-2.0
 *
 * sscanf against glibc's: the number of matches and everything stored.
 */
#include "harness.h"

#include <stdio.h>
#include <string.h>

GUEST(sscanf);

#pragma GCC diagnostic ignored "-Wformat-nonliteral"

/* Three places of 64 bytes for three conversions of any kind. */
struct places {
    _Alignas(16) char at[4][64];
};

static void compare(const char *text, const char *format) {
    struct places host, guest;
    memset(&host, 0, sizeof host);
    memset(&guest, 0, sizeof guest);
    int wanted = sscanf(text, format, host.at[0], host.at[1], host.at[2], host.at[3]);
    int given = guest_sscanf(text, format, guest.at[0], guest.at[1], guest.at[2], guest.at[3]);
    EXPECT(wanted == given && memcmp(&host, &guest, sizeof host) == 0, "sscanf(\"%s\", \"%s\"): %d, not %d", text,
           format, given, wanted);
}

static const char *const formats[] = {
    "%d",       "%i",    "%u",     "%x",       "%o",  "%hhd",      "%hd",    "%ld",       "%lld",     "%zu",
    "%d %d",    "%d,%d", "%2d%2d", "%*d %d",   "%s",  "%3s%s",     "%c",     "%3c",       " %c",      "%[a-c]",
    "%[^,],%s", "%[]x]", "%[^]]",  "%d%n",     "%f",  "%lf",       "%f %lf", "%5f",       "%d %s %c", "a%db",
    "%%%d",     "%d%%",  "%*s %d", "%i %i %i", "%4i", "%[0-9.]%n", "%lf%n",  "x%*[ab]%d", "%jd %td"};

void test_scan(unsigned rounds) {
    static const char *const texts[] = {"",
                                        " ",
                                        "12",
                                        "-12",
                                        "+5",
                                        "0x1f",
                                        "0x",
                                        "077",
                                        "08",
                                        "12 34",
                                        "12,34",
                                        "1234567",
                                        "hello world",
                                        "abcabx",
                                        "a,b",
                                        "]x]",
                                        "99999999999999999999",
                                        "-99999999999999999999",
                                        "2147483648",
                                        "3.5",
                                        "1e3",
                                        "1.25e-2 7",
                                        "inf",
                                        "nan",
                                        "%5",
                                        "% 5",
                                        "5%",
                                        "a12b",
                                        "12 abc d",
                                        "  x  ",
                                        "123456.789",
                                        "0x1p3",
                                        "0x1p",
                                        "1e",
                                        "1e+",
                                        "infinit",
                                        "infinity",
                                        "nanx",
                                        "-.e1",
                                        "2e2",
                                        ".5.5",
                                        "xab7",
                                        "- 5",
                                        "1 2 3"};
    for (size_t f = 0; f < sizeof formats / sizeof formats[0]; f++)
        for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++) compare(texts[t], formats[f]);
    for (unsigned i = 0; i < rounds; i++) {
        char text[24];
        size_t length = random_below(16);
        for (size_t k = 0; k < length; k++) text[k] = "0123456789 -+.,abx%]ep"[random_below(random_below(2) ? 11 : 22)];
        text[length] = '\0';
        compare(text, formats[random_below(sizeof formats / sizeof formats[0])]);
    }
}
