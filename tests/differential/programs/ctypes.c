/* SPDX-License-Identifier: Apache-2.0
 *
 * ctype.h over every character; toupper, tolower; digit arithmetic.
 * also-with: --m32
 */
#include <ctype.h>
#include <stdio.h>

int main(void) {
    for (int c = -1; c < 256; c++) {
        printf("%d:%d%d%d%d%d%d%d%d%d%d%d%d %d %d\n", c, !!isalnum(c), !!isalpha(c), !!isblank(c), !!iscntrl(c),
               !!isdigit(c), !!isgraph(c), !!islower(c), !!isprint(c), !!ispunct(c), !!isspace(c), !!isupper(c),
               !!isxdigit(c), toupper(c), tolower(c));
    }
    const char *text = "Hello, World 42 times!\t\n";
    int letters = 0, digits = 0, spaces = 0;
    for (const char *p = text; *p; p++) {
        letters += !!isalpha((unsigned char)*p);
        digits += !!isdigit((unsigned char)*p);
        spaces += !!isspace((unsigned char)*p);
        putchar(islower((unsigned char)*p) ? toupper((unsigned char)*p) : tolower((unsigned char)*p));
    }
    printf("%d %d %d\n", letters, digits, spaces);
    return 0;
}
