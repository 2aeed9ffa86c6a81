/* SPDX-License-Identifier: Apache-2.0
 *
 * Plays the machine for the natively compiled guest library, keeps count of expectations, and runs all tests.
 */
#include "harness.h"

#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned long checks_done;
static unsigned long failures;
static uint64_t random_state;

jmp_buf machine_end;
enum pancam_fault last_fault;
const char *last_message;
int last_status;
unsigned long long next_choice, last_choice_count;
int output_calls, output_descriptor;
char output_text[1 << 16];
size_t output_length;
long live_objects;

const unsigned __pancam_thread_limit = 8;
struct pancam_arguments __pancam_arguments;

void report_failure(const char *file, int line, const char *condition, const char *format, ...) {
    static int last_line, in_a_row;
    va_list arguments;
    failures++;
    in_a_row = line == last_line ? in_a_row + 1 : 0;
    last_line = line;
    if (in_a_row >= 4 || failures > 1000) return; /* enough of these */
    fprintf(stderr, "%s:%d: %s: ", file, line, condition);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

/* splitmix64 */
uint64_t random_bits(void) {
    uint64_t z = (random_state += 0x9e3779b97f4a7c15ULL);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
    return z ^ z >> 31;
}

unsigned random_below(unsigned limit) { return (unsigned)(random_bits() % limit); }

void forget_output(void) {
    output_calls = 0;
    output_length = 0;
    memset(output_text, 0, sizeof output_text);
}

void __pancam_atomic_begin(void) {}

void __pancam_atomic_end(void) {}

unsigned long long __pancam_choose(unsigned long long count) {
    last_choice_count = count;
    return next_choice;
}

void __pancam_assume(int condition) { last_status = condition; }

void __pancam_exit(int status) {
    last_status = status;
    longjmp(machine_end, END_EXIT);
}

void __pancam_abort(void) { longjmp(machine_end, END_ABORT); }

void __pancam_fault(enum pancam_fault kind, const char *message) {
    last_fault = kind;
    last_message = message;
    longjmp(machine_end, END_FAULT);
}

/* The size is kept in front of the object, at the distance of its alignment. */
void *__pancam_alloc(size_t size, size_t alignment) {
    size_t lead = alignment < 2 * sizeof(size_t) ? 2 * sizeof(size_t) : alignment;
    char *memory = memalign(lead, lead + size);
    if (memory == NULL) abort();
    memset(memory, 0, lead + size);
    ((size_t *)(void *)(memory + lead))[-1] = size;
    ((size_t *)(void *)(memory + lead))[-2] = lead;
    live_objects++;
    return memory + lead;
}

void *__pancam_alloc_hidden(size_t size, size_t alignment) { return __pancam_alloc(size, alignment); }

void *__pancam_alloc_zeros(size_t size, size_t alignment) { return __pancam_alloc(size, alignment); }

void __pancam_free(void *pointer) {
    if (pointer == NULL) return;
    live_objects--;
    free((char *)pointer - ((size_t *)pointer)[-2]);
}

size_t __pancam_object_size(void *pointer) { return ((size_t *)pointer)[-1]; }

void __pancam_output(int descriptor, const char *data, size_t length) {
    output_calls++;
    output_descriptor = descriptor;
    if (output_length + length >= sizeof output_text) abort();
    memcpy(output_text + output_length, data, length);
    output_length += length;
}

int main(int count, char **values) {
    if (count != 3) {
        fprintf(stderr, "usage: %s SEED ROUNDS\n", values[0]);
        return 2;
    }
    random_state = strtoull(values[1], NULL, 10);
    unsigned rounds = (unsigned)strtoul(values[2], NULL, 10);
    test_format(rounds);
    test_convert(rounds);
    test_scan(rounds);
    test_string(rounds);
    test_sort(rounds);
    test_math(rounds);
    test_library();
    printf("%lu checks, %lu failures\n", checks_done, failures);
    return failures != 0;
}
