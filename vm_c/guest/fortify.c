/* SPDX-License-Identifier: Apache-2.0
 *
 * The checked functions that headers call when a program is compiled with _FORTIFY_SOURCE. `room` is the size of the
 * destination as the compiler knows it, SIZE_MAX if it does not; too little of it is a fault.
 */
#include "library.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include "format.h"

static void require(size_t needed, size_t room) {
    if (needed > room)
        __pancam_fault(PANCAM_FAULT_LIBRARY_MISUSE, "a library function would write beyond its destination");
}

PROTOTYPE(void *, __memcpy_chk, (void *to, const void *from, size_t count, size_t room)) {
    require(count, room);
    return memcpy(to, from, count);
}

PROTOTYPE(void *, __mempcpy_chk, (void *to, const void *from, size_t count, size_t room)) {
    require(count, room);
    return mempcpy(to, from, count);
}

PROTOTYPE(void *, __memmove_chk, (void *to, const void *from, size_t count, size_t room)) {
    require(count, room);
    return memmove(to, from, count);
}

PROTOTYPE(void *, __memset_chk, (void *to, int value, size_t count, size_t room)) {
    require(count, room);
    return memset(to, value, count);
}

PROTOTYPE(void, __explicit_bzero_chk, (void *to, size_t count, size_t room)) {
    require(count, room);
    memset(to, 0, count);
}

PROTOTYPE(char *, __strcpy_chk, (char *to, const char *from, size_t room)) {
    require(strlen(from) + 1, room);
    return strcpy(to, from);
}

PROTOTYPE(char *, __stpcpy_chk, (char *to, const char *from, size_t room)) {
    require(strlen(from) + 1, room);
    return stpcpy(to, from);
}

PROTOTYPE(char *, __strncpy_chk, (char *to, const char *from, size_t limit, size_t room)) {
    require(limit, room);
    return strncpy(to, from, limit);
}

PROTOTYPE(char *, __stpncpy_chk, (char *to, const char *from, size_t limit, size_t room)) {
    require(limit, room);
    return stpncpy(to, from, limit);
}

PROTOTYPE(char *, __strcat_chk, (char *to, const char *from, size_t room)) {
    require(strlen(to) + strlen(from) + 1, room);
    return strcat(to, from);
}

PROTOTYPE(char *, __strncat_chk, (char *to, const char *from, size_t limit, size_t room)) {
    require(strlen(to) + strnlen(from, limit) + 1, room);
    return strncat(to, from, limit);
}

/* `level` asks glibc to distrust %n in writable formats; here every write is checked anyway. */
PROTOTYPE(int, __vprintf_chk, (int level, const char *format, va_list arguments)) {
    (void)level;
    return vprintf(format, arguments);
}

PROTOTYPE(int, __vfprintf_chk, (FILE * stream, int level, const char *format, va_list arguments)) {
    (void)level;
    return vfprintf(stream, format, arguments);
}

PROTOTYPE(int, __vdprintf_chk, (int descriptor, int level, const char *format, va_list arguments)) {
    (void)level;
    return vdprintf(descriptor, format, arguments);
}

PROTOTYPE(int, __vasprintf_chk, (char **result, int level, const char *format, va_list arguments)) {
    (void)level;
    return vasprintf(result, format, arguments);
}

PROTOTYPE(int, __vsprintf_chk, (char *to, int level, size_t room, const char *format, va_list arguments)) {
    (void)level;
    require(1, room);
    return __guest_print_to_memory(to, room, SINK_CHECKED, format, arguments);
}

PROTOTYPE(int, __vsnprintf_chk,
          (char *to, size_t size, int level, size_t room, const char *format, va_list arguments)) {
    (void)level;
    require(size, room);
    return vsnprintf(to, size, format, arguments);
}

/* The body of a function that ends in `...`: passes the arguments on. */
#define PASS_ON(call)                                                                                                  \
    va_list arguments;                                                                                                 \
    va_start(arguments, format);                                                                                       \
    int result = call;                                                                                                 \
    va_end(arguments);                                                                                                 \
    return result;

PROTOTYPE(int, __printf_chk, (int level, const char *format, ...)){PASS_ON(__vprintf_chk(level, format, arguments))}

PROTOTYPE(int, __fprintf_chk, (FILE * stream, int level, const char *format, ...)){
    PASS_ON(__vfprintf_chk(stream, level, format, arguments))}

PROTOTYPE(int, __dprintf_chk, (int descriptor, int level, const char *format, ...)){
    PASS_ON(__vdprintf_chk(descriptor, level, format, arguments))}

PROTOTYPE(int, __asprintf_chk,
          (char **text, int level, const char *format, ...)){PASS_ON(__vasprintf_chk(text, level, format, arguments))}

PROTOTYPE(int, __sprintf_chk, (char *to, int level, size_t room, const char *format, ...)){
    PASS_ON(__vsprintf_chk(to, level, room, format, arguments))}

PROTOTYPE(int, __snprintf_chk, (char *to, size_t size, int level, size_t room, const char *format, ...)) {
    PASS_ON(__vsnprintf_chk(to, size, level, room, format, arguments))
}
