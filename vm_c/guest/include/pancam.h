/* SPDX-License-Identifier: Apache-2.0
 *
 * What a checked program may say to pancam. Including this header is all that is needed; the functions are pancam's.
 */
#ifndef PANCAM_H
#define PANCAM_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A condition that must hold whenever it is reached; in the macro's form the report shows its text. */
void pancam_assert(int condition);
void pancam_assert_failed(const char *expression) __attribute__((noreturn));
#define pancam_assert(condition) ((condition) ? (void)0 : pancam_assert_failed(#condition))

/* A place that must not be reached. */
void pancam_error(const char *message) __attribute__((noreturn));

/* Executions in which the condition does not hold here are not considered. */
void pancam_assume(int condition);

/* No other thread moves between begin and end, unless this one blocks. Sections nest. */
void pancam_atomic_begin(void);
void pancam_atomic_end(void);

/* Any value of the type. The check tries those that make a difference; where it cannot tell, some, and says so. More of
 * the family may be declared as needed: a function pancam_nondet_X without a definition gives any value of its type. */
_Bool pancam_nondet_bool(void);
char pancam_nondet_char(void);
signed char pancam_nondet_schar(void);
unsigned char pancam_nondet_uchar(void);
short pancam_nondet_short(void);
unsigned short pancam_nondet_ushort(void);
int pancam_nondet_int(void);
unsigned pancam_nondet_uint(void);
long pancam_nondet_long(void);
unsigned long pancam_nondet_ulong(void);
long long pancam_nondet_longlong(void);
unsigned long long pancam_nondet_ulonglong(void);
size_t pancam_nondet_size_t(void);
float pancam_nondet_float(void);
double pancam_nondet_double(void);
void *pancam_nondet_pointer(void);

/* Any number from low to high, both included. Much cheaper to check than all numbers of a type. */
long pancam_nondet_range(long low, long high);

/* What an abstraction function (--abstraction f) fills: two states for which it leaves the same bytes here are taken
 * for the same. It finds zeros. 64 bytes, or as many as the program gives it by its own definition. */
extern unsigned char pancam_abs[];

#ifdef __cplusplus
}
#endif

#endif
