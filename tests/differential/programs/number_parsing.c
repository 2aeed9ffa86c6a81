/* SPDX-License-Identifier: Apache-2.0
 *
 * strtol, strtoul, strtoll, strtoull, atoi: bases, signs, ends, overflow and errno; abs and div.
 * also-with: --m32
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *texts[] = {"0",
                              "42",
                              "-42",
                              "+7",
                              "  \t\n19x",
                              "0x1f",
                              "0X",
                              "0xg",
                              "077",
                              "08",
                              "",
                              "   ",
                              "-",
                              "abc",
                              "zz",
                              "1e5",
                              "- 5",
                              "99999999999999999999",
                              "-99999999999999999999",
                              "2147483647",
                              "2147483648",
                              "-2147483649",
                              "4294967296",
                              "9223372036854775807",
                              "9223372036854775808",
                              "18446744073709551615",
                              "18446744073709551616",
                              "-1",
                              "0b101",
                              "7_000"};
enum { TEXTS = sizeof texts / sizeof *texts };
static const int bases[] = {0, 2, 8, 10, 16, 36};

int main(void) {
    for (int i = 0; i < TEXTS; i++) {
        for (unsigned b = 0; b < sizeof bases / sizeof *bases; b++) {
            /* C23 reads 0b in base 0 and 2, C17 does not */
            if (strchr(texts[i], 'b') && bases[b] <= 2) continue;
            char *end;
            errno = 0;
            long l = strtol(texts[i], &end, bases[b]);
            printf("%ld,%d,%d ", l, (int)(end - texts[i]), errno == ERANGE);
            errno = 0;
            unsigned long u = strtoul(texts[i], &end, bases[b]);
            printf("%lu,%d,%d ", u, (int)(end - texts[i]), errno == ERANGE);
            errno = 0;
            long long ll = strtoll(texts[i], &end, bases[b]);
            printf("%lld,%d,%d ", ll, (int)(end - texts[i]), errno == ERANGE);
            errno = 0;
            unsigned long long ull = strtoull(texts[i], &end, bases[b]);
            printf("%llu,%d,%d; ", ull, (int)(end - texts[i]), errno == ERANGE);
        }
        printf("\n");
    }
    printf("%d %d %d %ld %lld\n", atoi("123"), atoi("-5x"), atoi("x"), atol("  77"), atoll("-9000000000"));
    printf("%" PRIdMAX " %" PRIuMAX "\n", strtoimax("-12", NULL, 10), strtoumax("ff", NULL, 16));
    errno = 0;
    printf("%ld", strtol("5", NULL, 99));
    printf(" %d\n", errno == EINVAL);
    div_t d = div(-17, 5);
    ldiv_t ld = ldiv(17, -5);
    lldiv_t lld = lldiv(-9000000000LL, 7);
    printf("%d %d %ld %ld %lld %lld\n", d.quot, d.rem, ld.quot, ld.rem, lld.quot, lld.rem);
    printf("%d %ld %lld\n", abs(-5), labs(-6L), llabs(-7000000000LL));
    return 0;
}
