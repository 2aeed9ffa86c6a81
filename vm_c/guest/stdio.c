/* SPDX-License-Identifier: Apache-2.0
 *
 * The output half of stdio.h. Nothing is buffered beyond a call: each collects its text in a local buffer and hands it
 * to the machine, so one call of up to 128 characters is one output. The three streams are constants, not state.
 * Input and files are not provided: a program that uses them is told so by name.
 */
#include "library.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format.h"

/* The macros of glibc's header look into these: empty buffers make them call __overflow for each character. */
static const struct _IO_FILE standard_input = {._fileno = STDIN_FILENO};
static const struct _IO_FILE standard_output = {._fileno = STDOUT_FILENO};
static const struct _IO_FILE standard_error = {._fileno = STDERR_FILENO};

#undef stdin
#undef stdout
#undef stderr
FILE *stdin = (FILE *)&standard_input;
FILE *stdout = (FILE *)&standard_output;
FILE *stderr = (FILE *)&standard_error;

static int output_descriptor(const FILE *stream) {
    int descriptor = stream->_fileno;
    if (descriptor != STDOUT_FILENO && descriptor != STDERR_FILENO)
        __pancam_fault(PANCAM_FAULT_LIBRARY_MISUSE, "output to a stream that is not open for output");
    return descriptor;
}

static void print_text(int descriptor, const char *text, size_t length, const char *tail) {
    char memory[STREAM_BUFFER_SIZE];
    struct sink sink = {SINK_STREAM, descriptor, memory, sizeof memory, 0, 0};
    __guest_put_text(&sink, text, length);
    __guest_put_text(&sink, tail, strlen(tail));
    __guest_flush(&sink);
}

int __guest_print(int descriptor, const char *format, va_list arguments) {
    char memory[STREAM_BUFFER_SIZE];
    struct sink sink = {SINK_STREAM, descriptor, memory, sizeof memory, 0, 0};
    int result = __guest_format(&sink, format, arguments);
    __guest_flush(&sink);
    return result;
}

int __guest_print_to_memory(char *to, size_t size, enum sink_kind kind, const char *format, va_list arguments) {
    struct sink sink = {kind, -1, to, size == 0 ? 0 : size - 1, 0, 0};
    int result = __guest_format(&sink, format, arguments);
    if (size != 0) to[sink.used] = '\0';
    return result;
}

int vprintf(const char *restrict format, va_list arguments) {
    return __guest_print(output_descriptor(stdout), format, arguments);
}

int vfprintf(FILE *restrict stream, const char *restrict format, va_list arguments) {
    return __guest_print(output_descriptor(stream), format, arguments);
}

int vdprintf(int descriptor, const char *restrict format, va_list arguments) {
    if (descriptor != STDOUT_FILENO && descriptor != STDERR_FILENO) {
        errno = EBADF;
        return -1;
    }
    return __guest_print(descriptor, format, arguments);
}

int vsprintf(char *restrict to, const char *restrict format, va_list arguments) {
    return __guest_print_to_memory(to, SIZE_MAX, SINK_MEMORY, format, arguments);
}

int vsnprintf(char *restrict to, size_t size, const char *restrict format, va_list arguments) {
    return __guest_print_to_memory(to, size, SINK_MEMORY, format, arguments);
}

/* The result has exactly the size of the text, so that running over its end is seen. */
int vasprintf(char **restrict result, const char *restrict format, va_list arguments) {
    struct sink sink = {SINK_GROWING, -1, NULL, 0, 0, 0};
    int length = __guest_format(&sink, format, arguments);
    if (length < 0) {
        free(sink.memory);
        *result = NULL;
        return -1;
    }
    __guest_put(&sink, '\0');
    *result = realloc(sink.memory, sink.used);
    return length;
}

/* The body of a function that ends in `...`: passes the arguments on. */
#define PASS_ON(call)                                                                                                  \
    va_list arguments;                                                                                                 \
    va_start(arguments, format);                                                                                       \
    int result = call;                                                                                                 \
    va_end(arguments);                                                                                                 \
    return result;

int printf(const char *restrict format, ...) { PASS_ON(vprintf(format, arguments)) }

int fprintf(FILE *restrict stream, const char *restrict format, ...) { PASS_ON(vfprintf(stream, format, arguments)) }

int dprintf(int descriptor, const char *restrict format, ...) { PASS_ON(vdprintf(descriptor, format, arguments)) }

int sprintf(char *restrict to, const char *restrict format, ...) { PASS_ON(vsprintf(to, format, arguments)) }

int snprintf(char *restrict to, size_t size, const char *restrict format, ...) {
    PASS_ON(vsnprintf(to, size, format, arguments))
}

int asprintf(char **restrict text, const char *restrict format, ...) { PASS_ON(vasprintf(text, format, arguments)) }

int fputs(const char *restrict text, FILE *restrict stream) {
    print_text(output_descriptor(stream), text, strlen(text), "");
    return 1;
}

int puts(const char *text) {
    print_text(output_descriptor(stdout), text, strlen(text), "\n");
    return 1;
}

#undef putc
#undef putchar
int fputc(int c, FILE *stream) {
    char text = (char)c;
    __pancam_output(output_descriptor(stream), &text, 1);
    return (unsigned char)c;
}

int putc(int c, FILE *stream) { return fputc(c, stream); }

int putchar(int c) { return fputc(c, stdout); }

size_t fwrite(const void *restrict items, size_t size, size_t count, FILE *restrict stream) {
    size_t length;
    int descriptor = output_descriptor(stream);
    if (__builtin_mul_overflow(size, count, &length))
        __pancam_fault(PANCAM_FAULT_LIBRARY_MISUSE, "fwrite: size * count is no size");
    if (length == 0) return 0;
    print_text(descriptor, items, length, "");
    return count;
}

ssize_t write(int descriptor, const void *data, size_t length) {
    if (descriptor != STDOUT_FILENO && descriptor != STDERR_FILENO) {
        errno = EBADF;
        return -1;
    }
    print_text(descriptor, data, length, "");
    return (ssize_t)length;
}

void perror(const char *text) {
    char number[32];
    const char *error = __guest_error_text(errno, number);
    if (text != NULL && *text != '\0')
        dprintf(STDERR_FILENO, "%s: %s\n", text, error);
    else
        dprintf(STDERR_FILENO, "%s\n", error);
}

/* Nothing waits in a buffer. The standard allows to ignore what a program wants for buffers: all is written at once. */
int fflush(FILE *stream) {
    (void)stream;
    return 0;
}

int setvbuf(FILE *restrict stream, char *restrict buffer, int mode, size_t size) {
    (void)stream, (void)buffer, (void)size;
    return mode == _IOFBF || mode == _IOLBF || mode == _IONBF ? 0 : -1;
}

void setbuf(FILE *restrict stream, char *restrict buffer) { (void)stream, (void)buffer; }

void setbuffer(FILE *restrict stream, char *restrict buffer, size_t size) { (void)stream, (void)buffer, (void)size; }

void setlinebuf(FILE *stream) { (void)stream; }

#undef feof
#undef ferror
#undef clearerr
/* Output never fails and nothing is read, so neither indicator is ever set. */
int feof(FILE *stream) {
    (void)stream;
    return 0;
}

int ferror(FILE *stream) {
    (void)stream;
    return 0;
}

void clearerr(FILE *stream) { (void)stream; }

int fileno(FILE *stream) { return stream->_fileno; }

int fileno_unlocked(FILE *stream) { return stream->_fileno; }

#undef feof_unlocked
#undef ferror_unlocked
#undef putc_unlocked
#undef putchar_unlocked
int feof_unlocked(FILE *stream) { return feof(stream); }
int ferror_unlocked(FILE *stream) { return ferror(stream); }
void clearerr_unlocked(FILE *stream) { clearerr(stream); }
int fflush_unlocked(FILE *stream) { return fflush(stream); }
int fputc_unlocked(int c, FILE *stream) { return fputc(c, stream); }
int putc_unlocked(int c, FILE *stream) { return fputc(c, stream); }
int putchar_unlocked(int c) { return fputc(c, stdout); }
int fputs_unlocked(const char *restrict text, FILE *restrict stream) { return fputs(text, stream); }
int __overflow(FILE *stream, int c) { return fputc(c, stream); }
PROTOTYPE(int, _IO_putc, (int c, FILE *stream)) { return fputc(c, stream); }

size_t fwrite_unlocked(const void *restrict items, size_t size, size_t count, FILE *restrict stream) {
    return fwrite(items, size, count, stream);
}
