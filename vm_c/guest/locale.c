/* SPDX-License-Identifier: Apache-2.0
 *
 * locale.h: there is one locale, C, also called POSIX.
 */
#include "library.h"

#include <limits.h>
#include <locale.h>
#include <string.h>

/* An empty name asks for the environment's locale, which is C too. */
char *setlocale(int category, const char *name) {
    if (category < LC_CTYPE || category > LC_IDENTIFICATION) return NULL;
    if (name == NULL || *name == '\0' || strcmp(name, "C") == 0 || strcmp(name, "POSIX") == 0) return (char *)"C";
    return NULL;
}

struct lconv *localeconv(void) {
    static const struct lconv convention = {
        .decimal_point = (char *)".",
        .thousands_sep = (char *)"",
        .grouping = (char *)"",
        .int_curr_symbol = (char *)"",
        .currency_symbol = (char *)"",
        .mon_decimal_point = (char *)"",
        .mon_thousands_sep = (char *)"",
        .mon_grouping = (char *)"",
        .positive_sign = (char *)"",
        .negative_sign = (char *)"",
        .int_frac_digits = CHAR_MAX,
        .frac_digits = CHAR_MAX,
        .p_cs_precedes = CHAR_MAX,
        .p_sep_by_space = CHAR_MAX,
        .n_cs_precedes = CHAR_MAX,
        .n_sep_by_space = CHAR_MAX,
        .p_sign_posn = CHAR_MAX,
        .n_sign_posn = CHAR_MAX,
        .int_p_cs_precedes = CHAR_MAX,
        .int_p_sep_by_space = CHAR_MAX,
        .int_n_cs_precedes = CHAR_MAX,
        .int_n_sep_by_space = CHAR_MAX,
        .int_p_sign_posn = CHAR_MAX,
        .int_n_sign_posn = CHAR_MAX,
    };
    return (struct lconv *)&convention;
}
