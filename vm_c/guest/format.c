/* SPDX-License-Identifier: Apache-2.0
 *
 * The heart of the printf family: reads the format, fetches arguments, writes text, strings and integers to a sink.
 * Floating point is in format_float.c. An undefined format is a fault of the program, not a guess.
 */
#include "library.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "format.h"

static void grow(struct sink *sink) {
    size_t capacity = sink->capacity == 0 ? 32 : sink->capacity * 2;
    sink->memory = realloc(sink->memory, capacity);
    if (sink->memory == NULL) __pancam_fault(PANCAM_FAULT_HEAP_LIMIT, "text of asprintf");
    sink->capacity = capacity;
}

void __guest_flush(struct sink *sink) {
    if (sink->used != 0) __pancam_output(sink->descriptor, sink->memory, sink->used);
    sink->used = 0;
}

void __guest_put(struct sink *sink, char c) {
    sink->total++;
    if (sink->used == sink->capacity) {
        switch (sink->kind) {
        case SINK_STREAM: __guest_flush(sink); break;
        case SINK_MEMORY: return;
        case SINK_CHECKED: __pancam_fault(PANCAM_FAULT_LIBRARY_MISUSE, "formatted text exceeds its buffer");
        case SINK_GROWING: grow(sink); break;
        }
    }
    sink->memory[sink->used++] = c;
}

void __guest_put_text(struct sink *sink, const char *text, size_t length) {
    for (; length != 0; length--) __guest_put(sink, *text++);
}

void __guest_pad(struct sink *sink, char c, long long count) {
    for (; count > 0; count--) __guest_put(sink, c);
}

/* Numbers in a format. Too large a number is reported as INT_MAX, which is later refused. */
static const char *parse_number(const char *at, int *number) {
    *number = 0;
    for (; *at >= '0' && *at <= '9'; at++)
        if (__builtin_mul_overflow(*number, 10, number) || __builtin_add_overflow(*number, *at - '0', number))
            *number = INT_MAX;
    return at;
}

static const char *parse_star(const char *at, struct number_source *source) {
    int position;
    const char *behind = parse_number(at, &position);
    source->given = 1;
    source->from_argument = 1;
    if (*behind != '$' || position == 0) return at;
    source->position = position;
    return behind + 1;
}

static const char *parse_flags(const char *at, struct conversion *conversion) {
    for (;; at++) {
        switch (*at) {
        case '-': conversion->flags |= FLAG_LEFT; break;
        case '+': conversion->flags |= FLAG_PLUS; break;
        case ' ': conversion->flags |= FLAG_SPACE; break;
        case '#': conversion->flags |= FLAG_ALTERNATIVE; break;
        case '0': conversion->flags |= FLAG_ZERO; break;
        case '\'': /* grouping and alternative digits: the C locale has none */
        case 'I': break;
        default: return at;
        }
    }
}

static const char *parse_length(const char *at, struct conversion *conversion) {
    conversion->size = sizeof(int);
    switch (*at) {
    case 'h': conversion->size = at[1] == 'h' ? 1 : sizeof(short); return at + (at[1] == 'h' ? 2 : 1);
    case 'l':
        conversion->size = at[1] == 'l' ? sizeof(long long) : sizeof(long);
        conversion->wide = at[1] != 'l';
        return at + (at[1] == 'l' ? 2 : 1);
    case 'L':
        conversion->long_double = 1;
        conversion->size = sizeof(long long);
        return at + 1;
    case 'q':
    case 'j': conversion->size = sizeof(intmax_t); return at + 1;
    case 'z':
    case 'Z': conversion->size = sizeof(size_t); return at + 1;
    case 't': conversion->size = sizeof(ptrdiff_t); return at + 1;
    default: return at;
    }
}

/* Reads what follows a percent sign; returns what follows the conversion letter. */
static const char *parse_conversion(const char *at, struct conversion *conversion) {
    int position;
    memset(conversion, 0, sizeof *conversion);
    const char *behind = parse_number(at, &position);
    if (*behind == '$' && position != 0) {
        conversion->position = position;
        at = behind + 1;
    }
    at = parse_flags(at, conversion);
    if (*at == '*') {
        at = parse_star(at + 1, &conversion->width);
    } else if (*at >= '1' && *at <= '9') {
        conversion->width.given = 1;
        at = parse_number(at, &conversion->width.value);
    }
    if (*at == '.') {
        at++;
        conversion->precision.given = 1;
        if (*at == '*')
            at = parse_star(at + 1, &conversion->precision);
        else
            at = parse_number(at, &conversion->precision.value);
    }
    at = parse_length(at, conversion);
    conversion->letter = *at;
    if (*at == '\0') __pancam_fault(PANCAM_FAULT_LIBRARY_MISUSE, "incomplete conversion in a format");
    return at + 1;
}

/* How an argument is passed. */
enum argument_kind {
    ARGUMENT_NONE,
    ARGUMENT_INT,
    ARGUMENT_LONG_LONG,
    ARGUMENT_DOUBLE,
    ARGUMENT_LONG_DOUBLE,
    ARGUMENT_POINTER
};

static enum argument_kind kind_of(const struct conversion *conversion) {
    switch (conversion->letter) {
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
    case 'b':
    case 'B': return conversion->size > (int)sizeof(int) ? ARGUMENT_LONG_LONG : ARGUMENT_INT;
    case 'c':
    case 'C': return ARGUMENT_INT; /* wint_t is as wide as int */
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A': return conversion->long_double ? ARGUMENT_LONG_DOUBLE : ARGUMENT_DOUBLE;
    case 's':
    case 'S':
    case 'p':
    case 'n': return ARGUMENT_POINTER;
    case '%':
    case 'm': return ARGUMENT_NONE;
    default: __pancam_fault(PANCAM_FAULT_LIBRARY_MISUSE, "unknown conversion in a format");
    }
}

struct arguments {
    const char *format;
    va_list first; /* for arguments taken by position */
    va_list next;
};

static void take(va_list *list, enum argument_kind kind, union argument *value) {
    switch (kind) {
    case ARGUMENT_NONE: break;
    case ARGUMENT_INT: value->integer = va_arg(*list, unsigned); break;
    case ARGUMENT_LONG_LONG: value->integer = va_arg(*list, unsigned long long); break;
    case ARGUMENT_DOUBLE: value->floating = va_arg(*list, double); break;
    case ARGUMENT_LONG_DOUBLE: value->long_floating = va_arg(*list, long double); break;
    case ARGUMENT_POINTER: value->pointer = va_arg(*list, void *); break;
    }
}

/* How the format says the argument at a position is passed. */
static enum argument_kind kind_at(const char *format, int position) {
    struct conversion conversion;
    while (*format != '\0') {
        if (*format++ != '%') continue;
        format = parse_conversion(format, &conversion);
        if (conversion.width.position == position || conversion.precision.position == position) return ARGUMENT_INT;
        if (conversion.position == position) return kind_of(&conversion);
    }
    __pancam_fault(PANCAM_FAULT_LIBRARY_MISUSE, "a format with positions leaves out an argument");
}

/* Walks there from the first argument: slow, rare, and without a table. */
static void take_at(struct arguments *arguments, int position, union argument *value) {
    struct arguments walk;
    va_copy(walk.next, arguments->first);
    for (int i = 1; i <= position; i++) take(&walk.next, kind_at(arguments->format, i), value);
    va_end(walk.next);
}

static void fetch(struct arguments *arguments, int position, enum argument_kind kind, union argument *value) {
    if (position != 0)
        take_at(arguments, position, value);
    else
        take(&arguments->next, kind, value);
}

/* Replaces the stars by their numbers. A negative width means left, a negative precision none. */
static void settle_numbers(struct arguments *arguments, struct conversion *conversion) {
    union argument value;
    if (conversion->width.from_argument) {
        fetch(arguments, conversion->width.position, ARGUMENT_INT, &value);
        conversion->width.value = (int)value.integer;
        if (conversion->width.value < 0) {
            conversion->flags |= FLAG_LEFT;
            conversion->width.value = conversion->width.value == INT_MIN ? INT_MAX : -conversion->width.value;
        }
    }
    if (conversion->precision.from_argument) {
        fetch(arguments, conversion->precision.position, ARGUMENT_INT, &value);
        conversion->precision.value = (int)value.integer;
        conversion->precision.given = conversion->precision.value >= 0;
    }
}

static void put_padded(struct sink *sink, const struct conversion *conversion, const char *text, size_t length) {
    long long padding = conversion->width.value - (long long)length;
    if ((conversion->flags & FLAG_LEFT) == 0) __guest_pad(sink, ' ', padding);
    __guest_put_text(sink, text, length);
    if ((conversion->flags & FLAG_LEFT) != 0) __guest_pad(sink, ' ', padding);
}

/* Only ASCII exists among the wide characters of the C locale. */
static int put_wide(struct sink *sink, const struct conversion *conversion, const wchar_t *text, size_t length) {
    long long padding = conversion->width.value - (long long)length;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < 0 || text[i] > 127) {
            errno = EILSEQ;
            return -1;
        }
    }
    if ((conversion->flags & FLAG_LEFT) == 0) __guest_pad(sink, ' ', padding);
    for (size_t i = 0; i < length; i++) __guest_put(sink, (char)text[i]);
    if ((conversion->flags & FLAG_LEFT) != 0) __guest_pad(sink, ' ', padding);
    return 0;
}

static int put_string(struct sink *sink, const struct conversion *conversion, const void *text) {
    size_t limit = conversion->precision.given ? (size_t)conversion->precision.value : SIZE_MAX;
    if (text == NULL) {
        put_padded(sink, conversion, "(null)", limit >= 6 ? 6 : 0);
        return 0;
    }
    if (conversion->wide || conversion->letter == 'S') {
        const wchar_t *wide = text;
        size_t length = 0;
        while (length < limit && wide[length] != 0) length++;
        return put_wide(sink, conversion, wide, length);
    }
    put_padded(sink, conversion, text, strnlen(text, limit));
    return 0;
}

static int put_character(struct sink *sink, const struct conversion *conversion, unsigned value) {
    if (conversion->wide || conversion->letter == 'C') {
        wchar_t wide = (wchar_t)value;
        return put_wide(sink, conversion, &wide, 1);
    }
    char c = (char)value;
    put_padded(sink, conversion, &c, 1);
    return 0;
}

enum { LONGEST_NUMBER = 64 }; /* binary */

/* Writes the digits to the end of the given memory and returns their start; zero has no digits. */
static char *write_digits(char *end, unsigned long long number, unsigned base, int upper) {
    const char *digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
    if (number <= UINT_MAX) {
        for (unsigned small = (unsigned)number; small != 0; small /= base) *--end = digits[small % base];
        return end;
    }
    for (; number != 0; number /= base) *--end = digits[number % base];
    return end;
}

static void put_integer(struct sink *sink, const struct conversion *conversion, const char *prefix,
                        unsigned long long number, unsigned base) {
    char memory[LONGEST_NUMBER];
    char *end = memory + LONGEST_NUMBER;
    char *digits = write_digits(end, number, base, conversion->letter == 'X');
    long long count = end - digits;
    long long wanted = conversion->precision.given ? conversion->precision.value : 1;
    size_t prefix_length = strlen(prefix);
    if (base == 8 && (conversion->flags & FLAG_ALTERNATIVE) != 0 && wanted <= count) wanted = count + 1;
    if (base == 8 && number == 0 && wanted < 1 && (conversion->flags & FLAG_ALTERNATIVE) != 0) wanted = 1;
    long long zeros = wanted > count ? wanted - count : 0;
    long long padding = conversion->width.value - count - zeros - (long long)prefix_length;
    if ((conversion->flags & (FLAG_ZERO | FLAG_LEFT)) == FLAG_ZERO && !conversion->precision.given && padding > 0) {
        zeros += padding;
        padding = 0;
    }
    if ((conversion->flags & FLAG_LEFT) == 0) __guest_pad(sink, ' ', padding);
    __guest_put_text(sink, prefix, prefix_length);
    __guest_pad(sink, '0', zeros);
    __guest_put_text(sink, digits, (size_t)count);
    if ((conversion->flags & FLAG_LEFT) != 0) __guest_pad(sink, ' ', padding);
}

static long long sign_extend(unsigned long long number, int size) {
    int unused = 64 - 8 * size;
    return (long long)(number << unused) >> unused;
}

static const char *sign_text(const struct conversion *conversion, int negative) {
    if (negative) return "-";
    if ((conversion->flags & FLAG_PLUS) != 0) return "+";
    return (conversion->flags & FLAG_SPACE) != 0 ? " " : "";
}

static void put_signed(struct sink *sink, const struct conversion *conversion, unsigned long long argument) {
    long long number = sign_extend(argument, conversion->size);
    unsigned long long magnitude = number < 0 ? 0 - (unsigned long long)number : (unsigned long long)number;
    put_integer(sink, conversion, sign_text(conversion, number < 0), magnitude, 10);
}

static void put_unsigned(struct sink *sink, const struct conversion *conversion, unsigned long long argument) {
    unsigned long long number = argument & (~0ULL >> (64 - 8 * conversion->size));
    int prefixed = (conversion->flags & FLAG_ALTERNATIVE) != 0 && number != 0;
    switch (conversion->letter) {
    case 'u': put_integer(sink, conversion, "", number, 10); break;
    case 'o': put_integer(sink, conversion, "", number, 8); break;
    case 'x': put_integer(sink, conversion, prefixed ? "0x" : "", number, 16); break;
    case 'X': put_integer(sink, conversion, prefixed ? "0X" : "", number, 16); break;
    case 'b': put_integer(sink, conversion, prefixed ? "0b" : "", number, 2); break;
    default: put_integer(sink, conversion, prefixed ? "0B" : "", number, 2); break;
    }
}

/* As glibc: hexadecimal with 0x, and the flags + and space count; a null pointer is the text (nil). */
static void put_pointer(struct sink *sink, const struct conversion *conversion, const void *pointer) {
    int plus = (conversion->flags & FLAG_PLUS) != 0, space = (conversion->flags & FLAG_SPACE) != 0;
    if (pointer == NULL) {
        put_padded(sink, conversion, "(nil)", 5);
        return;
    }
    put_integer(sink, conversion, plus ? "+0x" : space ? " 0x" : "0x", (uintptr_t)pointer, 16);
}

static void store_count(const struct sink *sink, const struct conversion *conversion, void *to) {
    switch (conversion->size) {
    case 1: *(signed char *)to = (signed char)sink->total; break;
    case sizeof(short): *(short *)to = (short)sink->total; break;
    case sizeof(int): *(int *)to = (int)sink->total; break;
    default: *(long long *)to = (long long)sink->total; break;
    }
}

/* The text of errno; with # its name, or as a number if it has none. */
static int put_error(struct sink *sink, const struct conversion *conversion, int number) {
    char memory[32];
    if ((conversion->flags & FLAG_ALTERNATIVE) == 0)
        return put_string(sink, conversion, __guest_error_text(number, memory));
    const char *name = __guest_error_name(number);
    if (name != NULL) return put_string(sink, conversion, name);
    put_signed(sink, conversion, (unsigned)number);
    return 0;
}

static int put_conversion(struct sink *sink, const struct conversion *conversion, const union argument *value,
                          int saved_errno) {
    switch (conversion->letter) {
    case '%': __guest_put(sink, '%'); return 0;
    case 'd':
    case 'i': put_signed(sink, conversion, value->integer); return 0;
    case 'c':
    case 'C': return put_character(sink, conversion, (unsigned)value->integer);
    case 's':
    case 'S': return put_string(sink, conversion, value->pointer);
    case 'p': put_pointer(sink, conversion, value->pointer); return 0;
    case 'n': store_count(sink, conversion, value->pointer); return 0;
    case 'm': return put_error(sink, conversion, saved_errno);
    case 'u':
    case 'o':
    case 'x':
    case 'X':
    case 'b':
    case 'B': put_unsigned(sink, conversion, value->integer); return 0;
    default: __guest_format_float(sink, conversion, value); return 0;
    }
}

int __guest_format(struct sink *sink, const char *format, va_list list) {
    struct arguments arguments = {.format = format};
    struct conversion conversion;
    union argument value;
    int saved_errno = errno, failed = 0;
    va_copy(arguments.first, list);
    va_copy(arguments.next, list);
    while (*format != '\0' && !failed) {
        char c = *format++;
        if (c != '%') {
            __guest_put(sink, c);
            continue;
        }
        format = parse_conversion(format, &conversion);
        settle_numbers(&arguments, &conversion);
        if (conversion.width.value == INT_MAX || conversion.precision.value == INT_MAX) {
            errno = EOVERFLOW;
            failed = 1;
            break;
        }
        fetch(&arguments, conversion.position, kind_of(&conversion), &value);
        failed = put_conversion(sink, &conversion, &value, saved_errno) != 0;
    }
    va_end(arguments.next);
    va_end(arguments.first);
    if (!failed && sink->total > INT_MAX) {
        errno = EOVERFLOW;
        failed = 1;
    }
    return failed ? -1 : (int)sink->total;
}
