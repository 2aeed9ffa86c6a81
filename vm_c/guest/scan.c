/* SPDX-License-Identifier: Apache-2.0
 *
 * sscanf: integers, floating point, characters, strings, sets, %n and %%. Wide characters and the modifier m (memory
 * allocated by scanf) are not supported; they are a fault, as is an undefined format.
 */
#include "library.h"

#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "convert.h"

struct directive {
    int suppressed; /* an asterisk: match, store nothing */
    size_t width;   /* 0: none given */
    int size;       /* bytes of an integer; of a floating point number, see kind */
    enum { FLOAT_SIZED, DOUBLE_SIZED, LONG_DOUBLE_SIZED } floating;
    char letter;
    const char *set; /* of %[: the text between the brackets, */
    const char *set_end;
    int set_negated;
};

/* The text, and whether C23's binary prefix is accepted. */
struct input {
    const char *start;
    const char *at;
    int binary;
};

enum outcome { MATCHED, MISMATCHED, ENDED };

static int is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static const char *parse_size(const char *at, struct directive *directive) {
    directive->size = sizeof(int);
    switch (*at) {
    case 'h': directive->size = at[1] == 'h' ? 1 : sizeof(short); return at + (at[1] == 'h' ? 2 : 1);
    case 'l':
        directive->size = at[1] == 'l' ? sizeof(long long) : sizeof(long);
        directive->floating = at[1] == 'l' ? LONG_DOUBLE_SIZED : DOUBLE_SIZED;
        return at + (at[1] == 'l' ? 2 : 1);
    case 'L':
    case 'q':
        directive->size = sizeof(long long);
        directive->floating = LONG_DOUBLE_SIZED;
        return at + 1;
    case 'j': directive->size = sizeof(intmax_t); return at + 1;
    case 'z': directive->size = sizeof(size_t); return at + 1;
    case 't': directive->size = sizeof(ptrdiff_t); return at + 1;
    default: return at;
    }
}

/* A bracket right after the opening one, or after its ^, belongs to the set. */
static const char *parse_set(const char *at, struct directive *directive) {
    directive->set_negated = *at == '^';
    at += directive->set_negated;
    directive->set = at;
    if (*at == ']') at++;
    at = strchrnul(at, ']');
    directive->set_end = at;
    if (*at == '\0') __pancam_fault(PANCAM_FAULT_LIBRARY_MISUSE, "a set without its closing bracket in a format");
    return at + 1;
}

/* Reads what follows a percent sign. */
static const char *parse_directive(const char *at, struct directive *directive) {
    memset(directive, 0, sizeof *directive);
    if (*at == '*') {
        directive->suppressed = 1;
        at++;
    }
    for (; *at >= '0' && *at <= '9'; at++) directive->width = directive->width * 10 + (size_t)(*at - '0');
    at = parse_size(at, directive);
    directive->letter = *at;
    if (*at == '\0') __pancam_fault(PANCAM_FAULT_LIBRARY_MISUSE, "incomplete conversion in a format");
    at++;
    return directive->letter == '[' ? parse_set(at, directive) : at;
}

static int in_set(const struct directive *directive, char c) {
    int found = 0;
    for (const char *at = directive->set; at < directive->set_end && !found; at++) {
        if (at[1] == '-' && at + 2 < directive->set_end) {
            found = (unsigned char)c >= (unsigned char)at[0] && (unsigned char)c <= (unsigned char)at[2];
            at += 2;
        } else {
            found = *at == c;
        }
    }
    return found != directive->set_negated;
}

static void store_integer(void *to, int size, unsigned long long value) {
    switch (size) {
    case 1: *(signed char *)to = (signed char)value; break;
    case sizeof(short): *(short *)to = (short)value; break;
    case sizeof(int): *(int *)to = (int)value; break;
    default: *(long long *)to = (long long)value; break;
    }
}

/* Numbers are clamped to long, or to long long when that is asked for, and then cut, as glibc does. */
static unsigned long long clamp(const struct directive *directive, const struct scanned_integer *number) {
    int is_signed = directive->letter == 'd' || directive->letter == 'i';
    if (directive->size > (int)sizeof(long))
        return is_signed ? (unsigned long long)__guest_clamp_signed(number, LLONG_MAX)
                         : __guest_clamp_unsigned(number, ULLONG_MAX);
    return is_signed ? (unsigned long long)__guest_clamp_signed(number, LONG_MAX)
                     : __guest_clamp_unsigned(number, ULONG_MAX);
}

/* Unlike strtol, sscanf swallows the x of a prefix 0x that no digit follows. */
static const char *behind_bare_prefix(const char *start, const char *end, size_t limit, int base) {
    const char *digits = start + (*start == '-' || *start == '+');
    int bare = (base == 0 || base == 16) && end == digits + 1 && *digits == '0' && (*end == 'x' || *end == 'X');
    return bare && (limit == SIZE_MAX || end != start + limit) ? end + 1 : end;
}

static enum outcome match_integer(struct input *input, const struct directive *directive, void *to) {
    static const char letters[] = "diuoxXp";
    static const signed char bases[] = {10, 0, 10, 8, 16, 16, 16};
    size_t limit = directive->width != 0 ? directive->width : SIZE_MAX;
    int base = bases[strchr(letters, directive->letter) - letters];
    if (directive->letter == 'p' && strncmp(input->at, "(nil)", 5) == 0) {
        input->at += 5;
        if (to != NULL) *(void **)to = NULL;
        return MATCHED;
    }
    struct scanned_integer number = __guest_scan_integer(input->at, limit, base, input->binary);
    if (number.end == input->at) return MISMATCHED;
    input->at = behind_bare_prefix(input->at, number.end, limit, base);
    unsigned long long value = clamp(directive, &number);
    if (to != NULL) store_integer(to, directive->letter == 'p' ? (int)sizeof(void *) : directive->size, value);
    return MATCHED;
}

/* Where sscanf stops reading a number that strtod ends at `end`: unlike strtod it does not step back. An exponent
 * letter without digits is swallowed, with its sign; 0x alone or a part of "infinity" is a mismatch: a null pointer. */
static const char *end_of_field(const char *start, const char *end, size_t limit) {
    const char *stop = limit == SIZE_MAX ? NULL : start + limit;
    const char *digits = start + (*start == '-' || *start == '+');
    int hexadecimal = digits[0] == '0' && end - digits > 1 && (digits[1] == 'x' || digits[1] == 'X');
    int number = *digits == '.' || (*digits >= '0' && *digits <= '9');
    if (end == start || end == stop) return end == start ? NULL : end;
    char letter = *end >= 'A' && *end <= 'Z' ? (char)(*end + ('a' - 'A')) : *end;
    if ((letter == 'x' && end == digits + 1 && *digits == '0') || (letter == 'i' && !number && end == digits + 3))
        return NULL;
    const char *marks = hexadecimal ? "pP" : "eE";
    if (number && letter == *marks && strcspn(start, marks) == (size_t)(end - start)) { /* the first one */
        end++;
        if (end != stop && (*end == '-' || *end == '+')) end++;
    }
    return end;
}

#define SCAN_INTO(type, scanner)                                                                                       \
    do {                                                                                                               \
        type value = scanner(input->at, limit, &end);                                                                  \
        end = end_of_field(input->at, end, limit);                                                                     \
        if (to != NULL && end != NULL) *(type *)to = value;                                                            \
    } while (0)

static enum outcome match_float(struct input *input, const struct directive *directive, void *to) {
    size_t limit = directive->width != 0 ? directive->width : SIZE_MAX;
    const char *end;
    switch (directive->floating) {
    case FLOAT_SIZED: SCAN_INTO(float, __guest_scan_float); break;
    case DOUBLE_SIZED: SCAN_INTO(double, __guest_scan_double); break;
    default: SCAN_INTO(long double, __guest_scan_long_double); break;
    }
    if (end == NULL) return MISMATCHED;
    input->at = end;
    return MATCHED;
}

/* Strings and sets: at least one character, and a null at the end. */
static enum outcome match_text(struct input *input, const struct directive *directive, char *to) {
    size_t limit = directive->width != 0 ? directive->width : SIZE_MAX, length = 0;
    for (; length < limit && *input->at != '\0'; length++, input->at++) {
        if (directive->letter == '[' ? !in_set(directive, *input->at) : is_space(*input->at)) break;
        if (to != NULL) to[length] = *input->at;
    }
    if (length == 0) return MISMATCHED;
    if (to != NULL) to[length] = '\0';
    return MATCHED;
}

static enum outcome match_characters(struct input *input, const struct directive *directive, char *to) {
    size_t count = directive->width != 0 ? directive->width : 1;
    for (size_t i = 0; i < count && *input->at != '\0'; i++, input->at++)
        if (to != NULL) to[i] = *input->at;
    return MATCHED;
}

static enum outcome match(struct input *input, const struct directive *directive, void *to) {
    char letter = directive->letter;
    if (letter != 'c' && letter != '[')
        while (is_space(*input->at)) input->at++;
    if (letter == '%') return *input->at == '%' ? (input->at++, MATCHED) : *input->at == '\0' ? ENDED : MISMATCHED;
    if (*input->at == '\0') return ENDED;
    switch (letter) {
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
    case 'p': return match_integer(input, directive, to);
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G': return match_float(input, directive, to);
    case 'c':
    case 's':
    case '[':
        if (directive->floating == DOUBLE_SIZED)
            __pancam_fault(PANCAM_FAULT_LIBRARY_MISUSE, "sscanf does not support wide characters");
        return letter == 'c' ? match_characters(input, directive, to) : match_text(input, directive, to);
    default: __pancam_fault(PANCAM_FAULT_LIBRARY_MISUSE, "unknown conversion in a format of sscanf");
    }
}

/* The characters of the format outside conversions: white space matches any amount of it, others themselves. */
static enum outcome match_literal(struct input *input, char c) {
    if (is_space(c)) {
        while (is_space(*input->at)) input->at++;
        return MATCHED;
    }
    if (*input->at == c) {
        input->at++;
        return MATCHED;
    }
    return *input->at == '\0' ? ENDED : MISMATCHED;
}

static int scan(const char *text, const char *format, int binary, va_list arguments) {
    struct input input = {text, text, binary};
    struct directive directive;
    int stored = 0;
    while (*format != '\0') {
        enum outcome outcome;
        char c = *format++;
        if (c != '%') {
            outcome = match_literal(&input, c);
        } else {
            format = parse_directive(format, &directive);
            int stores = directive.letter != '%' && !directive.suppressed;
            void *to = stores ? va_arg(arguments, void *) : NULL;
            if (directive.letter == 'n') {
                if (stores) store_integer(to, directive.size, (unsigned long long)(input.at - input.start));
                continue;
            }
            outcome = match(&input, &directive, to);
            stored += outcome == MATCHED && stores;
        }
        if (outcome == ENDED) return stored == 0 ? EOF : stored;
        if (outcome == MISMATCHED) return stored;
    }
    return stored;
}

/* The names by which headers of different age call the same function. */
int vsscanf(const char *restrict text, const char *restrict format, va_list arguments) {
    return scan(text, format, 0, arguments);
}

int sscanf(const char *restrict text, const char *restrict format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int result = scan(text, format, 0, arguments);
    va_end(arguments);
    return result;
}

PROTOTYPE(int, __isoc99_vsscanf, (const char *text, const char *format, va_list arguments)) {
    return scan(text, format, 0, arguments);
}

PROTOTYPE(int, __isoc99_sscanf, (const char *text, const char *format, ...)) {
    va_list arguments;
    va_start(arguments, format);
    int result = scan(text, format, 0, arguments);
    va_end(arguments);
    return result;
}

PROTOTYPE(int, __isoc23_vsscanf, (const char *text, const char *format, va_list arguments)) {
    return scan(text, format, 1, arguments);
}

PROTOTYPE(int, __isoc23_sscanf, (const char *text, const char *format, ...)) {
    va_list arguments;
    va_start(arguments, format);
    int result = scan(text, format, 1, arguments);
    va_end(arguments);
    return result;
}
