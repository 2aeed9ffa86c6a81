/* SPDX-License-Identifier: Apache-2.0
 *
 * pthread_once. Threads that come while the routine runs wait for its end; so does, for ever, the routine itself.
 */
#include "threads.h"

enum { NOT_CALLED = PTHREAD_ONCE_INIT, RUNNING, DONE };
_Static_assert(sizeof(unsigned) == sizeof(pthread_once_t), "the control is its word");

static void set(void *control, unsigned value) {
    __pancam_atomic_begin();
    STORE(*(unsigned *)control, value);
    __pancam_atomic_end();
}

/* As in glibc: when the thread exits in the routine, another one may call it. */
static void forget(void *control) { set(control, NOT_CALLED); }

int pthread_once(pthread_once_t *given, void (*routine)(void)) {
    unsigned *control = (unsigned *)given;
    struct _pthread_cleanup_buffer buffer;
    __pancam_await_not(control, ~0u, RUNNING);
    unsigned value = LOAD(*control);
    if (value > DONE)
        __pancam_fault(PANCAM_FAULT_THREAD_MISUSE, "pthread_once with a control that is not PTHREAD_ONCE_INIT");
    if (value == NOT_CALLED) STORE(*control, (unsigned)RUNNING);
    __pancam_atomic_end();
    if (value == DONE) return 0;
    _pthread_cleanup_push(&buffer, forget, control);
    routine();
    _pthread_cleanup_pop(&buffer, 0);
    set(control, DONE);
    return 0;
}
