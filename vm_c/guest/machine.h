/* SPDX-License-Identifier: Apache-2.0
 *
 * What the guest library may ask of the machine. A call to any of these functions becomes one bytecode instruction
 * (see ../opcodes.def); none is a function that exists. Only vm_c/guest/ includes this file.
 */
#ifndef PANCAM_GUEST_MACHINE_H
#define PANCAM_GUEST_MACHINE_H

#include <stddef.h>

enum pancam_fault {
#define FAULT(name, text) PANCAM_FAULT_##name,
#include "../faults.def"
#undef FAULT
};

unsigned __pancam_self(void); /* index of the calling thread: 0 is main, below __pancam_thread_limit */

/* Between begin and end no other thread moves (unless this one blocks). Sections nest. */
void __pancam_atomic_begin(void);
void __pancam_atomic_end(void);

/* Block until (*word & mask) is either of the two values, or is not the value; then enter an atomic section in the same
 * step. The caller ends the section. The timed forms return 0, in the section too, when the wait timed out: that can
 * happen at any moment at which the condition does not hold, and only then; the spurious form does so only in checks
 * that want spurious wake-ups. The others return 1. A step always stops
 * before one of these, so that a blocked thread is one whose next instruction is an unsatisfied await. */
int __pancam_await_either(const unsigned *word, unsigned mask, unsigned value, unsigned other);
int __pancam_await_not(const unsigned *word, unsigned mask, unsigned value);
int __pancam_await_either_timed(const unsigned *word, unsigned mask, unsigned value, unsigned other);
int __pancam_await_not_timed(const unsigned *word, unsigned mask, unsigned value);
int __pancam_await_either_spurious(const unsigned *word, unsigned mask, unsigned value, unsigned other);

unsigned long long __pancam_choose(unsigned long long count); /* below count; count 0 means any 64-bit number */

/* Start thread `index` (not running now) in entry(index). */
void __pancam_spawn(unsigned index, void (*entry)(unsigned index));
void __pancam_thread_end(void) __attribute__((noreturn));
void __pancam_exit(int status) __attribute__((noreturn)); /* the whole process, at once, no handlers */
void __pancam_abort(void) __attribute__((noreturn));
void __pancam_fault(enum pancam_fault kind, const char *message) __attribute__((noreturn));
void __pancam_assume(int condition);

void *__pancam_alloc(size_t size, size_t alignment);        /* zeroed; never null: the heap's limit is a fault */
void *__pancam_alloc_zeros(size_t size, size_t alignment);  /* the same, and the zeros count as written */
void *__pancam_alloc_hidden(size_t size, size_t alignment); /* for the library itself: never a leak */
void __pancam_free(void *pointer);                          /* null is allowed; misuse is a fault */
size_t __pancam_object_size(void *pointer);                 /* of the live heap object that starts here */
void __pancam_output(int descriptor, const char *data, size_t length);

/* What pancam defines in the image: the command line, and how many threads may be alive. */
struct pancam_arguments {
    int count;
    char **values; /* ends with a null pointer */
};
extern struct pancam_arguments __pancam_arguments;
extern const unsigned __pancam_thread_limit;
extern const unsigned __pancam_malloc_may_fail; /* failure.c */

#endif
