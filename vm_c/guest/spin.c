/* SPDX-License-Identifier: Apache-2.0
 *
 * Spinlocks. A thread that would spin is not able to move, which leaves out only its spinning. The word is 0 when not
 * initialised (or destroyed), 1 when free, else 2 more than the index of the owner. There is no static initialiser.
 */
#include "threads.h"

enum { NOT_INITIALISED, FREE, FIRST_OWNER };
_Static_assert(sizeof(unsigned) == sizeof(pthread_spinlock_t), "a spinlock is its word");

static void misuse(const char *message) { __pancam_fault(PANCAM_FAULT_SPIN_MISUSE, message); }

static unsigned *view(pthread_spinlock_t *given) { return (unsigned *)(void *)given; }

/* In a section. */
static unsigned value_of(pthread_spinlock_t *given) {
    unsigned value = LOAD(*view(given));
    if (value == NOT_INITIALISED) misuse("use of a spinlock that is not initialised, or destroyed");
    return value;
}

/* There is one process, so sharing makes no difference. */
int pthread_spin_init(pthread_spinlock_t *given, int shared) {
    if (shared != PTHREAD_PROCESS_PRIVATE && shared != PTHREAD_PROCESS_SHARED) return EINVAL;
    __pancam_atomic_begin();
    STORE(*view(given), (unsigned)FREE);
    __pancam_atomic_end();
    return 0;
}

int pthread_spin_destroy(pthread_spinlock_t *given) {
    __pancam_atomic_begin();
    if (value_of(given) != FREE) misuse("pthread_spin_destroy of a locked spinlock");
    STORE(*view(given), (unsigned)NOT_INITIALISED);
    __pancam_atomic_end();
    return 0;
}

int pthread_spin_lock(pthread_spinlock_t *given) {
    unsigned self = __pancam_self();
    __pancam_await_either(view(given), ~0u, FREE, NOT_INITIALISED);
    value_of(given);
    STORE(*view(given), FIRST_OWNER + self);
    __pancam_atomic_end();
    return 0;
}

int pthread_spin_trylock(pthread_spinlock_t *given) {
    unsigned self = __pancam_self();
    int error = EBUSY;
    __pancam_atomic_begin();
    if (value_of(given) == FREE) {
        STORE(*view(given), FIRST_OWNER + self);
        error = 0;
    }
    __pancam_atomic_end();
    return error;
}

int pthread_spin_unlock(pthread_spinlock_t *given) {
    unsigned self = __pancam_self();
    __pancam_atomic_begin();
    unsigned value = value_of(given);
    if (value == FREE) misuse("pthread_spin_unlock of a spinlock that is not locked");
    if (value != FIRST_OWNER + self) misuse("pthread_spin_unlock of a spinlock that another thread has locked");
    STORE(*view(given), (unsigned)FREE);
    __pancam_atomic_end();
    return 0;
}
