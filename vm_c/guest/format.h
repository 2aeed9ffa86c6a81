/* SPDX-License-Identifier: Apache-2.0
 *
 * Where formatted text goes (struct sink), one conversion specification (struct conversion), and the functions that the
 * files of the printf family share.
 */
#ifndef PANCAM_GUEST_FORMAT_H
#define PANCAM_GUEST_FORMAT_H

#include <stdarg.h>
#include <stddef.h>

enum sink_kind {
    SINK_STREAM,  /* memory is a local buffer, handed to the descriptor whenever it is full */
    SINK_MEMORY,  /* what exceeds the capacity is only counted */
    SINK_CHECKED, /* the same, but exceeding the capacity is a fault */
    SINK_GROWING  /* memory is a heap object that grows */
};

struct sink {
    enum sink_kind kind;
    int descriptor;
    char *memory;
    size_t capacity;
    size_t used;
    unsigned long long total; /* characters so far */
};

void __guest_put(struct sink *sink, char c);
void __guest_put_text(struct sink *sink, const char *text, size_t length);
void __guest_pad(struct sink *sink, char c, long long count); /* nothing when count is not positive */
void __guest_flush(struct sink *sink);

enum { STREAM_BUFFER_SIZE = 128 };

enum conversion_flags { FLAG_LEFT = 1, FLAG_PLUS = 2, FLAG_SPACE = 4, FLAG_ALTERNATIVE = 8, FLAG_ZERO = 16 };

/* A number from the format, or where the argument that holds it is. */
struct number_source {
    int given; /* 0: absent */
    int from_argument;
    int position; /* of the argument, counted from 1; 0: the next one */
    int value;
};

struct conversion {
    int position; /* of the argument; 0: the next one */
    unsigned flags;
    struct number_source width;
    struct number_source precision;
    int size;        /* bytes of an integer argument */
    int wide;        /* l was given: wide characters */
    int long_double; /* L was given */
    char letter;
};

union argument {
    unsigned long long integer;
    double floating;
    long double long_floating;
    void *pointer;
};

/* The whole printf: returns the number of characters, or -1 with errno set. */
int __guest_format(struct sink *sink, const char *format, va_list arguments);
void __guest_format_float(struct sink *sink, const struct conversion *conversion, const union argument *value);

/* strerror's text, for an unknown number built in the given memory of 32 characters; its name, or a null pointer. */
const char *__guest_error_text(int number, char *memory);
const char *__guest_error_name(int number);

/* Output by formatting, with errors as the printf functions return them. */
int __guest_print(int descriptor, const char *format, va_list arguments);
int __guest_print_to_memory(char *to, size_t size, enum sink_kind kind, const char *format, va_list arguments);

#endif
