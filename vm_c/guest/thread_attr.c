/* SPDX-License-Identifier: Apache-2.0
 *
 * Attributes of threads. Only the detach state has an effect; the others are kept for whoever asks. Stack sizes are the
 * machine's business, and every schedule is possible whatever the policies and priorities are.
 */
#include "threads.h"

#include <sched.h>

enum { VALID = 1, SMALLEST_STACK = 16384, DEFAULT_STACK = 8 << 20, DEFAULT_GUARD = 4096 };

struct attributes {
    unsigned valid;
    int detach_state, policy, priority, inherit;
    size_t stack_size, guard_size;
};
_Static_assert(sizeof(struct attributes) <= sizeof(pthread_attr_t), "the attributes fit");

static struct attributes *view(const pthread_attr_t *attr) {
    struct attributes *attributes = (struct attributes *)(void *)attr;
    if (attributes->valid != VALID)
        __pancam_fault(PANCAM_FAULT_THREAD_MISUSE, "use of a thread attributes object that is not initialised");
    return attributes;
}

int pthread_attr_init(pthread_attr_t *attr) {
    struct attributes *attributes = (struct attributes *)(void *)attr;
    clear_object(attr, sizeof *attr);
    attributes->valid = VALID;
    attributes->detach_state = PTHREAD_CREATE_JOINABLE;
    attributes->policy = SCHED_OTHER;
    attributes->inherit = PTHREAD_INHERIT_SCHED;
    attributes->stack_size = DEFAULT_STACK;
    attributes->guard_size = DEFAULT_GUARD;
    return 0;
}

int pthread_attr_destroy(pthread_attr_t *attr) {
    view(attr);
    clear_object(attr, sizeof *attr);
    return 0;
}

unsigned __pancam_attr_detached(const pthread_attr_t *attr) {
    return view(attr)->detach_state == PTHREAD_CREATE_DETACHED ? THREAD_DETACHED : 0;
}

int pthread_attr_setdetachstate(pthread_attr_t *attr, int state) {
    struct attributes *attributes = view(attr);
    if (state != PTHREAD_CREATE_JOINABLE && state != PTHREAD_CREATE_DETACHED) return EINVAL;
    attributes->detach_state = state;
    return 0;
}

int pthread_attr_getdetachstate(const pthread_attr_t *attr, int *state) {
    *state = view(attr)->detach_state;
    return 0;
}

int pthread_attr_setstacksize(pthread_attr_t *attr, size_t size) {
    struct attributes *attributes = view(attr);
    if (size < SMALLEST_STACK) return EINVAL;
    attributes->stack_size = size;
    return 0;
}

int pthread_attr_getstacksize(const pthread_attr_t *restrict attr, size_t *restrict size) {
    *size = view(attr)->stack_size;
    return 0;
}

int pthread_attr_setguardsize(pthread_attr_t *attr, size_t size) {
    view(attr)->guard_size = size;
    return 0;
}

int pthread_attr_getguardsize(const pthread_attr_t *attr, size_t *size) {
    *size = view(attr)->guard_size;
    return 0;
}

int pthread_attr_setschedpolicy(pthread_attr_t *attr, int policy) {
    struct attributes *attributes = view(attr);
    if (policy != SCHED_OTHER && policy != SCHED_FIFO && policy != SCHED_RR) return EINVAL;
    attributes->policy = policy;
    return 0;
}

int pthread_attr_getschedpolicy(const pthread_attr_t *restrict attr, int *restrict policy) {
    *policy = view(attr)->policy;
    return 0;
}

/* Priorities are those of Linux: 1 to 99 for the real-time policies, 0 for the other one. */
int pthread_attr_setschedparam(pthread_attr_t *restrict attr, const struct sched_param *restrict parameters) {
    struct attributes *attributes = view(attr);
    int priority = parameters->sched_priority, ordinary = attributes->policy == SCHED_OTHER;
    if (ordinary ? priority != 0 : priority < 1 || priority > 99) return EINVAL;
    attributes->priority = priority;
    return 0;
}

int pthread_attr_getschedparam(const pthread_attr_t *restrict attr, struct sched_param *restrict parameters) {
    parameters->sched_priority = view(attr)->priority;
    return 0;
}

int pthread_attr_setinheritsched(pthread_attr_t *attr, int inherit) {
    struct attributes *attributes = view(attr);
    if (inherit != PTHREAD_INHERIT_SCHED && inherit != PTHREAD_EXPLICIT_SCHED) return EINVAL;
    attributes->inherit = inherit;
    return 0;
}

int pthread_attr_getinheritsched(const pthread_attr_t *restrict attr, int *restrict inherit) {
    *inherit = view(attr)->inherit;
    return 0;
}

/* Linux has only the scope of the system. */
int pthread_attr_setscope(pthread_attr_t *attr, int scope) {
    view(attr);
    if (scope == PTHREAD_SCOPE_SYSTEM) return 0;
    return scope == PTHREAD_SCOPE_PROCESS ? ENOTSUP : EINVAL;
}

int pthread_attr_getscope(const pthread_attr_t *restrict attr, int *restrict scope) {
    view(attr);
    *scope = PTHREAD_SCOPE_SYSTEM;
    return 0;
}
