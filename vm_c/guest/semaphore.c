/* SPDX-License-Identifier: Apache-2.0
 *
 * Unnamed semaphores. One word holds the value and a bit that is set from sem_init to sem_destroy, so that one await
 * sees both that there is something to take and that there is no semaphore at all.
 */
#include "threads.h"

#include <limits.h>
#include <semaphore.h>

#define INITIALISED 0x80000000u
_Static_assert(SEM_VALUE_MAX < INITIALISED, "the value leaves a bit");

static unsigned *view(sem_t *given) { return (unsigned *)(void *)given; }

static void misuse(const char *message) { __pancam_fault(PANCAM_FAULT_SEM_MISUSE, message); }

static int fail(int error) {
    errno = error;
    return -1;
}

/* In a section. */
static unsigned value_of(sem_t *given) {
    unsigned word = LOAD(*view(given));
    if (!(word & INITIALISED)) misuse("use of a semaphore that is not initialised, or destroyed");
    return word & ~INITIALISED;
}

/* In the section of an await; ends it. */
static int take_and_end(sem_t *given) {
    STORE(*view(given), (value_of(given) - 1) | INITIALISED);
    __pancam_atomic_end();
    return 0;
}

/* There is one process, so sharing makes no difference. */
int sem_init(sem_t *given, int shared, unsigned value) {
    (void)shared;
    if (value > SEM_VALUE_MAX) return fail(EINVAL);
    __pancam_atomic_begin();
    clear_object(given, sizeof *given);
    STORE(*view(given), value | INITIALISED);
    __pancam_atomic_end();
    return 0;
}

/* Threads that still wait on it will be told. */
int sem_destroy(sem_t *given) {
    __pancam_atomic_begin();
    value_of(given);
    STORE(*view(given), 0u);
    __pancam_atomic_end();
    return 0;
}

int sem_wait(sem_t *given) {
    __pancam_await_not(view(given), ~0u, INITIALISED);
    return take_and_end(given);
}

int sem_timedwait(sem_t *restrict given, const struct timespec *restrict deadline) {
    if (__pancam_await_not_timed(view(given), ~0u, INITIALISED)) return take_and_end(given);
    __pancam_atomic_end();
    return fail(time_out_error(deadline));
}

int sem_clockwait(sem_t *restrict given, clockid_t clock, const struct timespec *restrict deadline) {
    return is_clock(clock) ? sem_timedwait(given, deadline) : fail(EINVAL);
}

int sem_trywait(sem_t *given) {
    __pancam_atomic_begin();
    if (value_of(given) > 0) return take_and_end(given);
    __pancam_atomic_end();
    return fail(EAGAIN);
}

int sem_post(sem_t *given) {
    __pancam_atomic_begin();
    unsigned value = value_of(given);
    int full = value == SEM_VALUE_MAX;
    if (!full) STORE(*view(given), (value + 1) | INITIALISED);
    __pancam_atomic_end();
    return full ? fail(EOVERFLOW) : 0;
}

int sem_getvalue(sem_t *restrict given, int *restrict value) {
    __pancam_atomic_begin();
    *value = (int)value_of(given);
    __pancam_atomic_end();
    return 0;
}
