/* SPDX-License-Identifier: Apache-2.0
 *
 * The str* functions of string.h and strings.h, in the C locale. They read and write byte by byte.
 */
#include "library.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Headers of C23 make these macros that keep const. */
#undef strchr
#undef strpbrk
#undef strrchr
#undef strstr

size_t strlen(const char *text) {
    const char *end = text;
    while (*end != '\0') end++;
    return (size_t)(end - text);
}

size_t strnlen(const char *text, size_t limit) {
    size_t length = 0;
    while (length < limit && text[length] != '\0') length++;
    return length;
}

char *stpcpy(char *restrict to, const char *restrict from) {
    for (;;) {
        char c = *from++;
        *to = c;
        if (c == '\0') return to;
        to++;
    }
}

char *strcpy(char *restrict to, const char *restrict from) {
    stpcpy(to, from);
    return to;
}

char *stpncpy(char *restrict to, const char *restrict from, size_t limit) {
    for (; limit != 0; limit--) {
        char c = *from++;
        if (c == '\0') break;
        *to++ = c;
    }
    memset(to, 0, limit);
    return to;
}

char *strncpy(char *restrict to, const char *restrict from, size_t limit) {
    stpncpy(to, from, limit);
    return to;
}

char *strcat(char *restrict to, const char *restrict from) {
    stpcpy(to + strlen(to), from);
    return to;
}

char *strncat(char *restrict to, const char *restrict from, size_t limit) {
    char *out = to + strlen(to);
    for (; limit != 0; limit--) {
        char c = *from++;
        if (c == '\0') break;
        *out++ = c;
    }
    *out = '\0';
    return to;
}

int strcmp(const char *left, const char *right) {
    for (;; left++, right++) {
        unsigned char a = (unsigned char)*left, b = (unsigned char)*right;
        if (a != b || a == '\0') return a - b;
    }
}

int strncmp(const char *left, const char *right, size_t limit) {
    for (; limit != 0; limit--, left++, right++) {
        unsigned char a = (unsigned char)*left, b = (unsigned char)*right;
        if (a != b || a == '\0') return a - b;
    }
    return 0;
}

int strcasecmp(const char *left, const char *right) {
    for (;; left++, right++) {
        int a = tolower((unsigned char)*left), b = tolower((unsigned char)*right);
        if (a != b || a == '\0') return a - b;
    }
}

int strncasecmp(const char *left, const char *right, size_t limit) {
    for (; limit != 0; limit--, left++, right++) {
        int a = tolower((unsigned char)*left), b = tolower((unsigned char)*right);
        if (a != b || a == '\0') return a - b;
    }
    return 0;
}

/* In the C locale collation is the order of the bytes. */
int strcoll(const char *left, const char *right) { return strcmp(left, right); }

size_t strxfrm(char *restrict to, const char *restrict from, size_t limit) {
    size_t length = strlen(from);
    if (length < limit) strcpy(to, from);
    return length;
}

char *strchrnul(const char *text, int wanted) {
    while (*text != (char)wanted && *text != '\0') text++;
    return (char *)text;
}

char *strchr(const char *text, int wanted) {
    char *found = strchrnul(text, wanted);
    return *found == (char)wanted ? found : NULL;
}

char *strrchr(const char *text, int wanted) {
    const char *found = NULL;
    for (;; text++) {
        char c = *text;
        if (c == (char)wanted) found = text;
        if (c == '\0') return (char *)found;
    }
}

char *index(const char *text, int wanted) { return strchr(text, wanted); }

char *rindex(const char *text, int wanted) { return strrchr(text, wanted); }

char *strstr(const char *text, const char *wanted) {
    size_t length = strlen(wanted);
    if (length == 0) return (char *)text;
    for (text = strchr(text, *wanted); text != NULL; text = strchr(text + 1, *wanted))
        if (strncmp(text, wanted, length) == 0) return (char *)text;
    return NULL;
}

char *strcasestr(const char *text, const char *wanted) {
    size_t length = strlen(wanted);
    do {
        if (strncasecmp(text, wanted, length) == 0) return (char *)text;
    } while (*text++ != '\0');
    return NULL;
}

size_t strspn(const char *text, const char *accepted) {
    size_t length = 0;
    while (text[length] != '\0' && strchr(accepted, text[length]) != NULL) length++;
    return length;
}

size_t strcspn(const char *text, const char *rejected) {
    size_t length = 0;
    while (text[length] != '\0' && strchr(rejected, text[length]) == NULL) length++;
    return length;
}

char *strpbrk(const char *text, const char *wanted) {
    text += strcspn(text, wanted);
    return *text == '\0' ? NULL : (char *)text;
}

char *strtok_r(char *restrict text, const char *restrict separators, char **restrict rest) {
    char *token = text != NULL ? text : *rest;
    token += strspn(token, separators);
    char *end = token + strcspn(token, separators);
    *rest = end;
    if (token == end) return NULL;
    if (*end != '\0') {
        *end = '\0';
        *rest = end + 1;
    }
    return token;
}

char *strtok(char *restrict text, const char *restrict separators) {
    static char *rest;
    if (text == NULL && rest == NULL) return NULL;
    return strtok_r(text, separators, &rest);
}

char *strsep(char **restrict text, const char *restrict separators) {
    char *token = *text;
    if (token == NULL) return NULL;
    char *end = token + strcspn(token, separators);
    if (*end == '\0') {
        *text = NULL;
    } else {
        *end = '\0';
        *text = end + 1;
    }
    return token;
}

char *strndup(const char *text, size_t limit) {
    size_t length = strnlen(text, limit);
    char *copy = malloc(length + 1);
    if (copy != NULL) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

char *strdup(const char *text) { return strndup(text, strlen(text)); }

#undef basename
/* The GNU form; the POSIX one of libgen.h has another symbol, __xpg_basename. */
char *basename(const char *path) {
    char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : (char *)path;
}

PROTOTYPE(char *, __strtok_r, (char *restrict text, const char *restrict separators, char **restrict rest)) {
    return strtok_r(text, separators, rest);
}

PROTOTYPE(char *, __strdup, (const char *text)) { return strdup(text); }
