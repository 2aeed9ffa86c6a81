/* SPDX-License-Identifier: Apache-2.0
 *
 * strerror and its relatives. The texts are constants; only an unknown number needs memory for its text.
 */
#include "library.h"

#include <errno.h>
#include <string.h>

#include "format.h"

static const struct {
    const char *name;
    const char *text;
} errors[] = {
#define ERROR_TEXT(number, text) [number] = {#number, text},
#include "error_texts.def"
#undef ERROR_TEXT
};

static int is_known(int number) {
    return number >= 0 && (size_t)number < sizeof errors / sizeof errors[0] && errors[number].text != NULL;
}

static const char *known_text(int number) { return is_known(number) ? errors[number].text : NULL; }

static void write_number(char *end, int number) {
    char digits[12];
    size_t count = 0;
    unsigned magnitude = number < 0 ? 0 - (unsigned)number : (unsigned)number;
    if (number < 0) *end++ = '-';
    do {
        digits[count++] = (char)('0' + magnitude % 10);
        magnitude /= 10;
    } while (magnitude != 0);
    while (count != 0) *end++ = digits[--count];
    *end = '\0';
}

const char *__guest_error_text(int number, char *memory) {
    const char *text = known_text(number);
    if (text != NULL) return text;
    write_number(stpcpy(memory, "Unknown error "), number);
    return memory;
}

const char *__guest_error_name(int number) { return is_known(number) ? errors[number].name : NULL; }

char *strerror(int number) {
    static _Thread_local char memory[32];
    const char *text = known_text(number);
    return (char *)(text != NULL ? text : __guest_error_text(number, memory));
}

#undef strerror_r
/* The GNU form returns the text; the given memory is used for unknown numbers only. */
char *strerror_r(int number, char *memory, size_t size) {
    char unknown[32];
    const char *text = known_text(number);
    if (text != NULL) return (char *)text;
    text = __guest_error_text(number, unknown);
    size_t length = strlen(text);
    if (size != 0) {
        length = length < size ? length : size - 1;
        memcpy(memory, text, length);
        memory[length] = '\0';
    }
    return memory;
}

/* The POSIX form, which headers choose without _GNU_SOURCE, copies the text and returns an error number. */
PROTOTYPE(int, __xpg_strerror_r, (int number, char *memory, size_t size)) {
    char unknown[32];
    const char *text = __guest_error_text(number, unknown);
    size_t length = strlen(text);
    size_t copied = length < size ? length : size - (size != 0);
    memcpy(memory, text, copied);
    if (size != 0) memory[copied] = '\0';
    if (text == unknown) return EINVAL;
    return length < size ? 0 : ERANGE;
}
