/* SPDX-License-Identifier: Apache-2.0
 *
 * ctype.h in the C locale: the functions, and the constant tables that the macros of glibc's header look into.
 */
#include "library.h"

#include <ctype.h>
#include <stdint.h>

#define BETWEEN(c, low, high) ((c) >= (low) && (c) <= (high))
#define UPPER(c) BETWEEN(c, 'A', 'Z')
#define LOWER(c) BETWEEN(c, 'a', 'z')
#define DIGIT(c) BETWEEN(c, '0', '9')
#define HEX(c) (DIGIT(c) || BETWEEN(c, 'A', 'F') || BETWEEN(c, 'a', 'f'))
#define SPACE(c) ((c) == ' ' || BETWEEN(c, '\t', '\r'))
#define BLANK(c) ((c) == ' ' || (c) == '\t')
#define GRAPH(c) BETWEEN(c, '!', '~')
#define CONTROL(c) (BETWEEN(c, 0, 31) || (c) == 127)
#define ALPHA(c) (UPPER(c) || LOWER(c))
#define ALNUM(c) (ALPHA(c) || DIGIT(c))

#undef isalnum
#undef isalpha
#undef isblank
#undef iscntrl
#undef isdigit
#undef isgraph
#undef islower
#undef isprint
#undef ispunct
#undef isspace
#undef isupper
#undef isxdigit
#undef isascii
#undef toascii
#undef tolower
#undef toupper

int isalnum(int c) { return ALNUM(c); }
int isalpha(int c) { return ALPHA(c); }
int isblank(int c) { return BLANK(c); }
int iscntrl(int c) { return CONTROL(c); }
int isdigit(int c) { return DIGIT(c); }
int isgraph(int c) { return GRAPH(c); }
int islower(int c) { return LOWER(c); }
int isprint(int c) { return GRAPH(c) || c == ' '; }
int ispunct(int c) { return GRAPH(c) && !ALNUM(c); }
int isspace(int c) { return SPACE(c); }
int isupper(int c) { return UPPER(c); }
int isxdigit(int c) { return HEX(c); }
int isascii(int c) { return BETWEEN(c, 0, 127); }
int toascii(int c) { return c & 127; }
int tolower(int c) { return UPPER(c) ? c + ('a' - 'A') : c; }
int toupper(int c) { return LOWER(c) ? c - ('a' - 'A') : c; }

/* A table has one entry for each of -128 .. 255: plain char may be signed, and EOF is -1. */
#define CLASS(c)                                                                                                       \
    (unsigned short)((UPPER(c) ? _ISupper : 0) | (LOWER(c) ? _ISlower : 0) | (ALPHA(c) ? _ISalpha : 0) |               \
                     (DIGIT(c) ? _ISdigit : 0) | (HEX(c) ? _ISxdigit : 0) | (SPACE(c) ? _ISspace : 0) |                \
                     (GRAPH(c) || (c) == ' ' ? _ISprint : 0) | (GRAPH(c) ? _ISgraph : 0) | (BLANK(c) ? _ISblank : 0) | \
                     (CONTROL(c) ? _IScntrl : 0) | (GRAPH(c) && !ALNUM(c) ? _ISpunct : 0) | (ALNUM(c) ? _ISalnum : 0))
#define CASE_INDEX(c) ((c) < -1 ? (c) + 256 : (c)) /* glibc's case tables hold unsigned characters, and EOF itself */
#define TO_LOWER(c) (UPPER(c) ? (c) + ('a' - 'A') : CASE_INDEX(c))
#define TO_UPPER(c) (LOWER(c) ? (c) - ('a' - 'A') : CASE_INDEX(c))

#define FOUR(entry, c) entry(c), entry((c) + 1), entry((c) + 2), entry((c) + 3)
#define SIXTEEN(entry, c) FOUR(entry, c), FOUR(entry, (c) + 4), FOUR(entry, (c) + 8), FOUR(entry, (c) + 12)
#define HALF(entry, c)                                                                                                 \
    SIXTEEN(entry, c), SIXTEEN(entry, (c) + 16), SIXTEEN(entry, (c) + 32), SIXTEEN(entry, (c) + 48),                   \
        SIXTEEN(entry, (c) + 64), SIXTEEN(entry, (c) + 80), SIXTEEN(entry, (c) + 96), SIXTEEN(entry, (c) + 112)
#define TABLE(entry) HALF(entry, -128), HALF(entry, 0), HALF(entry, 128)

static const unsigned short class_table[384] = {TABLE(CLASS)};
static const int32_t lower_table[384] = {TABLE(TO_LOWER)};
static const int32_t upper_table[384] = {TABLE(TO_UPPER)};

static const unsigned short *const classes = class_table + 128;
static const int32_t *const lowers = lower_table + 128;
static const int32_t *const uppers = upper_table + 128;

const unsigned short **__ctype_b_loc(void) { return (const unsigned short **)&classes; }
const int32_t **__ctype_tolower_loc(void) { return (const int32_t **)&lowers; }
const int32_t **__ctype_toupper_loc(void) { return (const int32_t **)&uppers; }

PROTOTYPE(size_t, __ctype_get_mb_cur_max, (void)) { return 1; }
