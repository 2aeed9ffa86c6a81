/* SPDX-License-Identifier: Apache-2.0
 *
 * The threads of C11 over those of POSIX; the objects of the two have the same form, as in glibc.
 */
#include "threads.h"

#include <stdint.h>
#include <threads.h>

_Static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t), "a mtx_t is a mutex");
_Static_assert(sizeof(cnd_t) == sizeof(pthread_cond_t), "a cnd_t is a condition variable");
_Static_assert(sizeof(once_flag) == sizeof(pthread_once_t), "a once_flag is a once control");

static int result_of(int error) {
    switch (error) {
    case 0: return thrd_success;
    case EBUSY: return thrd_busy;
    case ENOMEM: return thrd_nomem;
    case ETIMEDOUT: return thrd_timedout;
    default: return thrd_error;
    }
}

static pthread_mutex_t *mutex_of(mtx_t *mutex) { return (pthread_mutex_t *)(void *)mutex; }
static pthread_cond_t *condition_of(cnd_t *condition) { return (pthread_cond_t *)(void *)condition; }

static void run_thread(unsigned index) {
    struct thread_start start = __pancam_take_start(index);
    __pancam_return_from_thread((void *)(intptr_t)start.routine.c11(start.argument));
}

int thrd_create(thrd_t *id, thrd_start_t routine, void *argument) {
    struct thread_start start = {.routine.c11 = routine, .argument = argument};
    __pancam_atomic_begin();
    __pancam_create_thread(id, 0, run_thread, start);
    __pancam_atomic_end();
    return thrd_success;
}

int thrd_join(thrd_t id, int *result) {
    void *value;
    int error = pthread_join(id, &value);
    if (error == 0 && result != NULL) *result = (int)(intptr_t)value;
    return result_of(error);
}

int thrd_detach(thrd_t id) { return result_of(pthread_detach(id)); }

void thrd_exit(int result) { pthread_exit((void *)(intptr_t)result); }

thrd_t thrd_current(void) { return pthread_self(); }

int thrd_equal(thrd_t one, thrd_t other) { return one == other; }

void thrd_yield(void) { sched_yield(); }

int thrd_sleep(const struct timespec *duration, struct timespec *rest) {
    return clock_nanosleep(CLOCK_REALTIME, 0, duration, rest) == 0 ? 0 : -2;
}

int mtx_init(mtx_t *mutex, int type) {
    pthread_mutexattr_t attr;
    if (type < mtx_plain || type > (mtx_timed | mtx_recursive)) return thrd_error;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, type & mtx_recursive ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL);
    return result_of(pthread_mutex_init(mutex_of(mutex), &attr));
}

void mtx_destroy(mtx_t *mutex) { pthread_mutex_destroy(mutex_of(mutex)); }

int mtx_lock(mtx_t *mutex) { return result_of(pthread_mutex_lock(mutex_of(mutex))); }

int mtx_trylock(mtx_t *mutex) { return result_of(pthread_mutex_trylock(mutex_of(mutex))); }

int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict deadline) {
    return result_of(pthread_mutex_timedlock(mutex_of(mutex), deadline));
}

int mtx_unlock(mtx_t *mutex) { return result_of(pthread_mutex_unlock(mutex_of(mutex))); }

int cnd_init(cnd_t *condition) { return result_of(pthread_cond_init(condition_of(condition), NULL)); }

void cnd_destroy(cnd_t *condition) { pthread_cond_destroy(condition_of(condition)); }

int cnd_wait(cnd_t *condition, mtx_t *mutex) {
    return result_of(pthread_cond_wait(condition_of(condition), mutex_of(mutex)));
}

int cnd_timedwait(cnd_t *restrict condition, mtx_t *restrict mutex, const struct timespec *restrict deadline) {
    return result_of(pthread_cond_timedwait(condition_of(condition), mutex_of(mutex), deadline));
}

int cnd_signal(cnd_t *condition) { return result_of(pthread_cond_signal(condition_of(condition))); }

int cnd_broadcast(cnd_t *condition) { return result_of(pthread_cond_broadcast(condition_of(condition))); }

int tss_create(tss_t *key, tss_dtor_t destructor) { return result_of(pthread_key_create(key, destructor)); }

void tss_delete(tss_t key) { pthread_key_delete(key); }

void *tss_get(tss_t key) { return pthread_getspecific(key); }

int tss_set(tss_t key, void *value) { return result_of(pthread_setspecific(key, value)); }

void call_once(once_flag *flag, void (*routine)(void)) { pthread_once(&flag->__data, routine); }
