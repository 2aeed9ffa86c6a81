/* SPDX-License-Identifier: Apache-2.0
 *
 * Failing assertions: those of assert.h, of pancam.h, and of the programs of the software verification competition.
 */
#include "library.h"

#include <assert.h>

#include "format.h"
#include "include/pancam.h"

void __assert_fail(const char *expression, const char *file, unsigned line, const char *function) {
    (void)file, (void)line, (void)function; /* the trace knows the place */
    __pancam_fault(PANCAM_FAULT_ASSERT, expression);
}

void __assert(const char *expression, const char *file, int line) {
    (void)file, (void)line;
    __pancam_fault(PANCAM_FAULT_ASSERT, expression);
}

void __assert_perror_fail(int error, const char *file, unsigned line, const char *function) {
    char memory[32];
    (void)file, (void)line, (void)function;
    __pancam_fault(PANCAM_FAULT_ASSERT, __guest_error_text(error, memory));
}

void pancam_assert_failed(const char *expression) { __pancam_fault(PANCAM_FAULT_ASSERT, expression); }

#undef pancam_assert
void pancam_assert(int condition) {
    if (!condition) __pancam_fault(PANCAM_FAULT_ASSERT, "pancam_assert");
}

void pancam_error(const char *message) { __pancam_fault(PANCAM_FAULT_ERROR_REACHED, message); }

void pancam_assume(int condition) { __pancam_assume(condition); }

void pancam_atomic_begin(void) { __pancam_atomic_begin(); }

void pancam_atomic_end(void) { __pancam_atomic_end(); }

/* Weak: a program that defines one of these itself means its own. */
#define COMPETITION(result, name, parameters)                                                                          \
    result name parameters __attribute__((weak));                                                                      \
    result name parameters

COMPETITION(void, reach_error, (void)) { __pancam_fault(PANCAM_FAULT_ERROR_REACHED, "reach_error"); }

COMPETITION(void, __VERIFIER_error, (void)) { __pancam_fault(PANCAM_FAULT_ERROR_REACHED, "__VERIFIER_error"); }

COMPETITION(void, __VERIFIER_assert, (int condition)) {
    if (!condition) __pancam_fault(PANCAM_FAULT_ERROR_REACHED, "__VERIFIER_assert");
}

COMPETITION(void, __VERIFIER_assume, (int condition)) { __pancam_assume(condition); }

COMPETITION(void, __VERIFIER_atomic_begin, (void)) { __pancam_atomic_begin(); }

COMPETITION(void, __VERIFIER_atomic_end, (void)) { __pancam_atomic_end(); }
