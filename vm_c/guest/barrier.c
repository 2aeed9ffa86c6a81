/* SPDX-License-Identifier: Apache-2.0
 *
 * Barriers. The last thread to arrive wakes the others and empties the barrier in the same step, so that a barrier
 * looks the same before each round, and may be destroyed by whoever leaves first. It is the one that is told so
 * (PTHREAD_BARRIER_SERIAL_THREAD), as in glibc.
 */
#include "threads.h"

#include <limits.h>

struct barrier {
    unsigned threads; /* that have to arrive; 0: not initialised, or destroyed */
    unsigned waiting[THREAD_SET_WORDS];
};
_Static_assert(sizeof(struct barrier) <= sizeof(pthread_barrier_t), "a barrier fits");

/* A pthread_barrierattr_t */
enum { ATTR_SHARED = 1, ATTR_VALID = 0x100 };

static void misuse(const char *message) { __pancam_fault(PANCAM_FAULT_BARRIER_MISUSE, message); }

/* In a section. */
static struct barrier *view(pthread_barrier_t *given) {
    struct barrier *barrier = (struct barrier *)(void *)given;
    if (LOAD(barrier->threads) == 0) misuse("use of a barrier that is not initialised, or destroyed");
    return barrier;
}

int pthread_barrier_wait(pthread_barrier_t *given) {
    unsigned self = __pancam_self();
    __pancam_atomic_begin();
    struct barrier *barrier = view(given);
    unsigned waiting = count_threads(barrier->waiting);
    if (waiting + 1 == LOAD(barrier->threads)) {
        for (; waiting > 0; waiting--) {
            unsigned thread = find_thread(barrier->waiting, 0);
            remove_thread(barrier->waiting, thread);
            wake_thread(thread);
        }
        __pancam_atomic_end();
        return PTHREAD_BARRIER_SERIAL_THREAD;
    }
    add_thread(barrier->waiting, self);
    fall_asleep(self);
    __pancam_atomic_end();
    await_wake(self);
    __pancam_atomic_end();
    return 0;
}

static unsigned attributes(const pthread_barrierattr_t *attr) {
    unsigned bits = *(const unsigned *)(const void *)attr;
    if (!(bits & ATTR_VALID)) misuse("use of a barrier attributes object that is not initialised");
    return bits;
}

static void set_attributes(pthread_barrierattr_t *attr, unsigned bits) { *(unsigned *)(void *)attr = bits; }

int pthread_barrier_init(pthread_barrier_t *restrict given, const pthread_barrierattr_t *restrict attr,
                         unsigned threads) {
    if (attr != NULL) attributes(attr);
    if (threads == 0 || threads > UINT_MAX / 2) return EINVAL;
    __pancam_atomic_begin();
    clear_object(given, sizeof *given);
    STORE(((struct barrier *)(void *)given)->threads, threads);
    __pancam_atomic_end();
    return 0;
}

int pthread_barrier_destroy(pthread_barrier_t *given) {
    __pancam_atomic_begin();
    struct barrier *barrier = view(given);
    if (count_threads(barrier->waiting) > 0) misuse("pthread_barrier_destroy of a barrier that threads wait on");
    STORE(barrier->threads, 0u);
    __pancam_atomic_end();
    return 0;
}

int pthread_barrierattr_init(pthread_barrierattr_t *attr) {
    set_attributes(attr, ATTR_VALID);
    return 0;
}

int pthread_barrierattr_destroy(pthread_barrierattr_t *attr) {
    attributes(attr);
    set_attributes(attr, 0);
    return 0;
}

/* There is one process, so sharing makes no difference. */
int pthread_barrierattr_setpshared(pthread_barrierattr_t *attr, int shared) {
    attributes(attr);
    if (shared != PTHREAD_PROCESS_PRIVATE && shared != PTHREAD_PROCESS_SHARED) return EINVAL;
    set_attributes(attr, shared == PTHREAD_PROCESS_SHARED ? ATTR_VALID | ATTR_SHARED : ATTR_VALID);
    return 0;
}

int pthread_barrierattr_getpshared(const pthread_barrierattr_t *restrict attr, int *restrict shared) {
    *shared = attributes(attr) & ATTR_SHARED ? PTHREAD_PROCESS_SHARED : PTHREAD_PROCESS_PRIVATE;
    return 0;
}
