/* SPDX-License-Identifier: Apache-2.0
 *
 * Condition variables. The object holds the set of threads that wait and the mutex they wait with, while there are any.
 * Which of several waiters a signal wakes is a choice of whoever drives the machine. A woken thread does not touch the
 * object again, so that it may be destroyed and freed right after a broadcast, as POSIX allows.
 */
#include "threads.h"

struct condition {
    unsigned waiting[THREAD_SET_WORDS];
    pthread_mutex_t *mutex;
    unsigned destroyed;
};
_Static_assert(sizeof(struct condition) <= sizeof(pthread_cond_t), "a condition variable fits");

/* A pthread_condattr_t */
enum { ATTR_MONOTONIC = 1, ATTR_SHARED = 2, ATTR_VALID = 0x100 };

static void misuse(const char *message) { __pancam_fault(PANCAM_FAULT_COND_MISUSE, message); }

/* In a section. */
static struct condition *view(pthread_cond_t *given) {
    struct condition *condition = (struct condition *)(void *)given;
    if (LOAD(condition->destroyed)) misuse("use of a destroyed condition variable");
    return condition;
}

/* In a section. The last one to leave also leaves the object as if nobody had ever waited. */
static void remove_waiter(struct condition *condition, unsigned thread) {
    remove_thread(condition->waiting, thread);
    if (count_threads(condition->waiting) == 0) STORE(condition->mutex, NULL);
}

/* Gives up the mutex and joins the waiting threads in one step; not 0 is an error, and nothing has happened. */
static int start_waiting(pthread_cond_t *given, pthread_mutex_t *mutex, const struct timespec *deadline) {
    unsigned self = __pancam_self();
    int error = EINVAL;
    __pancam_atomic_begin();
    struct condition *condition = view(given);
    if (deadline == NULL || is_deadline(deadline)) error = __pancam_mutex_release(mutex);
    if (error == 0) {
        if (count_threads(condition->waiting) > 0 && LOAD(condition->mutex) != mutex)
            misuse("threads wait on one condition variable with different mutexes");
        STORE(condition->mutex, mutex);
        add_thread(condition->waiting, self);
        fall_asleep(self);
    }
    __pancam_atomic_end();
    return error;
}

/* In the section of the wake-up, which it ends. A mutex that is free is taken in the same step. */
static void stop_waiting(pthread_mutex_t *mutex) {
    if (!__pancam_mutex_take_back(mutex)) {
        __pancam_atomic_end();
        __pancam_mutex_await_free(mutex);
        __pancam_mutex_take_back(mutex);
    }
    __pancam_atomic_end();
}

/* In the section of a wake-up that nobody caused. */
static void give_up_waiting(pthread_cond_t *given, unsigned self) {
    remove_waiter(view(given), self);
    wake_thread(self);
}

int pthread_cond_wait(pthread_cond_t *restrict given, pthread_mutex_t *restrict mutex) {
    unsigned self = __pancam_self();
    int error = start_waiting(given, mutex, NULL);
    if (error != 0) return error;
    if (!__pancam_await_either_spurious(&__pancam_threads[self].blocked, ~0u, 0, 0)) give_up_waiting(given, self);
    stop_waiting(mutex);
    return 0;
}

int pthread_cond_timedwait(pthread_cond_t *restrict given, pthread_mutex_t *restrict mutex,
                           const struct timespec *restrict deadline) {
    unsigned self = __pancam_self();
    int error = start_waiting(given, mutex, deadline);
    if (error != 0) return error;
    if (!__pancam_await_either_timed(&__pancam_threads[self].blocked, ~0u, 0, 0)) {
        error = ETIMEDOUT;
        give_up_waiting(given, self);
    }
    stop_waiting(mutex);
    return error;
}

int pthread_cond_clockwait(pthread_cond_t *restrict given, pthread_mutex_t *restrict mutex, clockid_t clock,
                           const struct timespec *restrict deadline) {
    return is_clock(clock) ? pthread_cond_timedwait(given, mutex, deadline) : EINVAL;
}

int pthread_cond_signal(pthread_cond_t *given) {
    __pancam_atomic_begin();
    struct condition *condition = view(given);
    unsigned waiters = count_threads(condition->waiting);
    if (waiters > 0) {
        unsigned chosen = waiters == 1 ? 0 : (unsigned)__pancam_choose(waiters);
        unsigned thread = find_thread(condition->waiting, chosen);
        remove_waiter(condition, thread);
        wake_thread(thread);
    }
    __pancam_atomic_end();
    return 0;
}

int pthread_cond_broadcast(pthread_cond_t *given) {
    __pancam_atomic_begin();
    struct condition *condition = view(given);
    while (count_threads(condition->waiting) > 0) {
        unsigned thread = find_thread(condition->waiting, 0);
        remove_waiter(condition, thread);
        wake_thread(thread);
    }
    __pancam_atomic_end();
    return 0;
}

static unsigned attributes(const pthread_condattr_t *attr) {
    unsigned bits = *(const unsigned *)(const void *)attr;
    if (!(bits & ATTR_VALID)) misuse("use of a condition variable attributes object that is not initialised");
    return bits;
}

static void set_attributes(pthread_condattr_t *attr, unsigned bits) { *(unsigned *)(void *)attr = bits; }

/* The clock makes no difference, since all stand still. */
int pthread_cond_init(pthread_cond_t *restrict given, const pthread_condattr_t *restrict attr) {
    if (attr != NULL) attributes(attr);
    __pancam_atomic_begin();
    clear_object(given, sizeof *given);
    __pancam_atomic_end();
    return 0;
}

int pthread_cond_destroy(pthread_cond_t *given) {
    __pancam_atomic_begin();
    struct condition *condition = view(given);
    if (count_threads(condition->waiting) > 0)
        misuse("pthread_cond_destroy of a condition variable that threads wait on");
    STORE(condition->destroyed, 1u);
    __pancam_atomic_end();
    return 0;
}

int pthread_condattr_init(pthread_condattr_t *attr) {
    set_attributes(attr, ATTR_VALID);
    return 0;
}

int pthread_condattr_destroy(pthread_condattr_t *attr) {
    attributes(attr);
    set_attributes(attr, 0);
    return 0;
}

int pthread_condattr_setclock(pthread_condattr_t *attr, clockid_t clock) {
    unsigned bits = attributes(attr) & ~(unsigned)ATTR_MONOTONIC;
    if (!is_clock(clock)) return EINVAL;
    set_attributes(attr, clock == CLOCK_MONOTONIC ? bits | ATTR_MONOTONIC : bits);
    return 0;
}

int pthread_condattr_getclock(const pthread_condattr_t *restrict attr, clockid_t *restrict clock) {
    *clock = attributes(attr) & ATTR_MONOTONIC ? CLOCK_MONOTONIC : CLOCK_REALTIME;
    return 0;
}

/* There is one process, so sharing makes no difference. */
int pthread_condattr_setpshared(pthread_condattr_t *attr, int shared) {
    unsigned bits = attributes(attr) & ~(unsigned)ATTR_SHARED;
    if (shared != PTHREAD_PROCESS_PRIVATE && shared != PTHREAD_PROCESS_SHARED) return EINVAL;
    set_attributes(attr, shared == PTHREAD_PROCESS_SHARED ? bits | ATTR_SHARED : bits);
    return 0;
}

int pthread_condattr_getpshared(const pthread_condattr_t *restrict attr, int *restrict shared) {
    *shared = attributes(attr) & ATTR_SHARED ? PTHREAD_PROCESS_SHARED : PTHREAD_PROCESS_PRIVATE;
    return 0;
}
