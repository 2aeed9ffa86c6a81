/* SPDX-License-Identifier: Apache-2.0
 *
 * Cleanup handlers, as glibc's macros for C expect them: pthread_cleanup_push marks a place with setjmp and registers
 * it, and a thread that exits jumps from place to place, innermost first. Also the state of cancellation, which a
 * thread may set and read although no thread can be cancelled: pthread_cancel is not provided.
 */
#include "threads.h"

#include <setjmp.h>

_Thread_local struct pancam_local __pancam_local;

/* How the four words of padding of a registered place are used */
enum { OUTER_PLACE, OUTER_BUFFER, SAVED_TYPE };

static void misuse(const char *message) { __pancam_fault(PANCAM_FAULT_THREAD_MISUSE, message); }

__cleanup_fct_attribute void __pthread_register_cancel(__pthread_unwind_buf_t *place) {
    place->__pad[OUTER_PLACE] = __pancam_local.unwind;
    place->__pad[OUTER_BUFFER] = __pancam_local.buffers;
    __pancam_local.unwind = place;
}

__cleanup_fct_attribute void __pthread_unregister_cancel(__pthread_unwind_buf_t *place) {
    if (__pancam_local.unwind != place)
        misuse("pthread_cleanup_pop without the pthread_cleanup_push that is the last one");
    __pancam_local.unwind = place->__pad[OUTER_PLACE];
}

__cleanup_fct_attribute void __pthread_register_cancel_defer(__pthread_unwind_buf_t *place) {
    __pthread_register_cancel(place);
    place->__pad[SAVED_TYPE] = (void *)(size_t)__pancam_local.cancel_type;
    __pancam_local.cancel_type = PTHREAD_CANCEL_DEFERRED;
}

__cleanup_fct_attribute void __pthread_unregister_cancel_restore(__pthread_unwind_buf_t *place) {
    __pthread_unregister_cancel(place);
    __pancam_local.cancel_type = (unsigned char)(size_t)place->__pad[SAVED_TYPE];
}

void _pthread_cleanup_push(struct _pthread_cleanup_buffer *buffer, void (*routine)(void *), void *argument) {
    buffer->__routine = routine;
    buffer->__arg = argument;
    buffer->__canceltype = 0;
    buffer->__prev = __pancam_local.buffers;
    __pancam_local.buffers = buffer;
}

void _pthread_cleanup_pop(struct _pthread_cleanup_buffer *buffer, int execute) {
    if (__pancam_local.buffers != buffer)
        misuse("_pthread_cleanup_pop without the _pthread_cleanup_push that is the last one");
    __pancam_local.buffers = buffer->__prev;
    if (execute) buffer->__routine(buffer->__arg);
}

/* Goes on exiting: the handlers that are left, then the end of the thread. */
void __pancam_unwind(void) {
    __pthread_unwind_buf_t *place = __pancam_local.unwind;
    const void *outer = place == NULL ? NULL : place->__pad[OUTER_BUFFER];
    while (__pancam_local.buffers != outer) _pthread_cleanup_pop(__pancam_local.buffers, 1);
    if (place == NULL) __pancam_finish_thread();
    __pancam_local.unwind = place->__pad[OUTER_PLACE];
    longjmp((struct __jmp_buf_tag *)(void *)place->__cancel_jmp_buf, 1);
}

/* What the macros call after a handler has run at its place. */
__cleanup_fct_attribute void __pthread_unwind_next(__pthread_unwind_buf_t *place) {
    (void)place;
    __pancam_unwind();
}

int pthread_setcancelstate(int state, int *old) {
    if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE) return EINVAL;
    if (old != NULL) *old = __pancam_local.cancel_state;
    __pancam_local.cancel_state = (unsigned char)state;
    return 0;
}

int pthread_setcanceltype(int type, int *old) {
    if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS) return EINVAL;
    if (old != NULL) *old = __pancam_local.cancel_type;
    __pancam_local.cancel_type = (unsigned char)type;
    return 0;
}

/* No request can be pending, since none can be made. */
void pthread_testcancel(void) {}
