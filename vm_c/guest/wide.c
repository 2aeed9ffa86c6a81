/* SPDX-License-Identifier: Apache-2.0
 *
 * Wide strings, and conversion between them and byte strings in the C locale, where only ASCII has wide characters.
 */
#include "library.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

/* Headers of C23 make these macros that keep const. */
#undef wcschr
#undef wcsrchr
#undef wmemchr

size_t wcslen(const wchar_t *text) {
    size_t length = 0;
    while (text[length] != 0) length++;
    return length;
}

size_t wcsnlen(const wchar_t *text, size_t limit) {
    size_t length = 0;
    while (length < limit && text[length] != 0) length++;
    return length;
}

wchar_t *wmemcpy(wchar_t *restrict to, const wchar_t *restrict from, size_t count) {
    return memcpy(to, from, count * sizeof(wchar_t));
}

wchar_t *wmemmove(wchar_t *to, const wchar_t *from, size_t count) { return memmove(to, from, count * sizeof(wchar_t)); }

wchar_t *wmemset(wchar_t *to, wchar_t value, size_t count) {
    for (size_t i = 0; i < count; i++) to[i] = value;
    return to;
}

int wmemcmp(const wchar_t *left, const wchar_t *right, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (left[i] != right[i]) return left[i] < right[i] ? -1 : 1;
    return 0;
}

wchar_t *wmemchr(const wchar_t *memory, wchar_t value, size_t count) {
    for (; count != 0; count--, memory++)
        if (*memory == value) return (wchar_t *)memory;
    return NULL;
}

wchar_t *wcscpy(wchar_t *restrict to, const wchar_t *restrict from) { return wmemcpy(to, from, wcslen(from) + 1); }

wchar_t *wcsncpy(wchar_t *restrict to, const wchar_t *restrict from, size_t limit) {
    size_t length = wcsnlen(from, limit);
    wmemcpy(to, from, length);
    wmemset(to + length, 0, limit - length);
    return to;
}

wchar_t *wcscat(wchar_t *restrict to, const wchar_t *restrict from) {
    wcscpy(to + wcslen(to), from);
    return to;
}

int wcscmp(const wchar_t *left, const wchar_t *right) {
    for (;; left++, right++)
        if (*left != *right || *left == 0) return *left < *right ? -1 : *left > *right;
}

int wcsncmp(const wchar_t *left, const wchar_t *right, size_t limit) {
    for (; limit != 0; limit--, left++, right++)
        if (*left != *right || *left == 0) return *left < *right ? -1 : *left > *right;
    return 0;
}

wchar_t *wcschr(const wchar_t *text, wchar_t wanted) {
    for (;; text++) {
        if (*text == wanted) return (wchar_t *)text;
        if (*text == 0) return NULL;
    }
}

wchar_t *wcsrchr(const wchar_t *text, wchar_t wanted) {
    size_t length = wcslen(text) + 1;
    while (length-- != 0)
        if (text[length] == wanted) return (wchar_t *)text + length;
    return NULL;
}

int mbtowc(wchar_t *restrict to, const char *restrict from, size_t limit) {
    if (from == NULL) return 0; /* the encoding has no state */
    if (limit == 0 || (unsigned char)*from > 127) {
        if (limit != 0) errno = EILSEQ;
        return -1;
    }
    if (to != NULL) *to = (wchar_t)*from;
    return *from != '\0';
}

int mblen(const char *from, size_t limit) { return mbtowc(NULL, from, limit); }

int wctomb(char *to, wchar_t c) {
    if (to == NULL) return 0;
    if (c < 0 || c > 127) {
        errno = EILSEQ;
        return -1;
    }
    *to = (char)c;
    return 1;
}

size_t mbstowcs(wchar_t *restrict to, const char *restrict from, size_t limit) {
    size_t length = 0;
    for (; to == NULL || length < limit; length++) {
        wchar_t c;
        int bytes = mbtowc(&c, from + length, 1);
        if (bytes < 0) return SIZE_MAX;
        if (to != NULL) to[length] = c;
        if (bytes == 0) break;
    }
    return length;
}

size_t wcstombs(char *restrict to, const wchar_t *restrict from, size_t limit) {
    size_t length = 0;
    for (; to == NULL || length < limit; length++) {
        char c;
        if (wctomb(&c, from[length]) < 0) return SIZE_MAX;
        if (to != NULL) to[length] = c;
        if (c == '\0') break;
    }
    return length;
}
