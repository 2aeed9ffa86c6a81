/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the native tests of the guest library. The library is compiled for the host with every function f renamed
 * guest_f, so that a test can call it beside glibc's f and compare. machine.c plays the machine.
 */
#ifndef PANCAM_TESTS_GUEST_HARNESS_H
#define PANCAM_TESTS_GUEST_HARNESS_H

#define _GNU_SOURCE 1
#undef _FORTIFY_SOURCE
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

#include "machine.h"

/* Declares the library's version of a function of the host's headers. */
#define GUEST(name) extern __typeof__(name) guest_##name

/* Counts and reports a failed expectation, and goes on. */
#define EXPECT(condition, ...)                                                                                         \
    do {                                                                                                               \
        checks_done++;                                                                                                 \
        if (!(condition)) report_failure(__FILE__, __LINE__, #condition, __VA_ARGS__);                                 \
    } while (0)

/* The statement must end in a fault of this kind. */
#define EXPECT_FAULT(kind, statement)                                                                                  \
    do {                                                                                                               \
        int ended = setjmp(machine_end);                                                                               \
        if (ended == 0) {                                                                                              \
            statement;                                                                                                 \
        }                                                                                                              \
        EXPECT(ended == END_FAULT && last_fault == (kind), "fault %d", (int)last_fault);                               \
    } while (0)

enum { END_FAULT = 1, END_EXIT, END_ABORT };

extern unsigned long checks_done;
void report_failure(const char *file, int line, const char *condition, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

uint64_t random_bits(void);
unsigned random_below(unsigned limit);

/* What the library told the machine. */
extern jmp_buf machine_end;
extern enum pancam_fault last_fault;
extern const char *last_message;
extern int last_status;
extern unsigned long long next_choice, last_choice_count;
extern int output_calls, output_descriptor;
extern char output_text[1 << 16];
extern size_t output_length;
extern long live_objects;
void forget_output(void);

void test_format(unsigned rounds);
void test_convert(unsigned rounds);
void test_scan(unsigned rounds);
void test_string(unsigned rounds);
void test_sort(unsigned rounds);
void test_math(unsigned rounds);
void test_library(void);

#endif
