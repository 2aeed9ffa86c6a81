/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads: create, join, detach, exit, names. New threads take the lowest free record; a record is free again when its
 * thread has ended and nobody may join it any more.
 */
#include "threads.h"

#include <errno.h>
#include <stdlib.h>

enum { JOIN_MASK = THREAD_CHANGED | THREAD_ENDED | THREAD_DETACHED };

static unsigned other_threads; /* threads alive, less one: 0 is main alone */

static void misuse(const char *message) { __pancam_fault(PANCAM_FAULT_THREAD_MISUSE, message); }

static unsigned taken_state(unsigned index) { return index == 0 ? 0 : THREAD_CHANGED; }
static unsigned free_state(unsigned index) { return index == 0 ? THREAD_CHANGED : 0; }

/* Makes the record of a thread that has ended free. */
static void release(unsigned index) {
    struct pancam_thread *thread = __pancam_threads + index;
    clear_object(thread, sizeof *thread);
    STORE(thread->state, free_state(index));
}

#ifndef PANCAM_CROWD
/* In a section. As in glibc, the new thread's id is stored before the thread can move. */
void __pancam_create_thread(unsigned long *id, unsigned detached, void (*entry)(unsigned), struct thread_start start) {
    unsigned index = 0;
    while (index < __pancam_thread_limit && LOAD(__pancam_threads[index].state) != free_state(index)) index++;
    if (index == __pancam_thread_limit)
        __pancam_fault(PANCAM_FAULT_THREAD_LIMIT, "more threads are alive at once than the limit allows");
    struct pancam_thread *thread = __pancam_threads + index;
    const struct pancam_thread *creator = __pancam_threads + __pancam_self();
    STORE(thread->state, taken_state(index) | detached);
    STORE(thread->of.routine, start.routine.posix);
    STORE(thread->argument, start.argument);
    for (unsigned i = 0; i < NAME_WORDS; i++) STORE(thread->name[i], LOAD(creator->name[i]));
    STORE(other_threads, LOAD(other_threads) + 1);
    *id = index + 1;
    __pancam_spawn(index, entry);
}
#else
/* In searches with any number of threads (docs/adr/0021) a thread has neither a record nor a number: what it has to do
 * passes through the record of the last slot, and nobody looks at ids. */
void __pancam_create_thread(unsigned long *id, unsigned detached, void (*entry)(unsigned), struct thread_start start) {
    unsigned nursery = __pancam_thread_limit - 1;
    (void)detached;
    STORE(__pancam_threads[nursery].of.routine, start.routine.posix);
    STORE(__pancam_threads[nursery].argument, start.argument);
    *id = 0;
    __pancam_spawn(nursery, entry);
}
#endif

/* What the new thread has to do; nothing of it stays in the record. */
struct thread_start __pancam_take_start(unsigned index) {
    struct pancam_thread *thread = __pancam_threads + index;
    struct thread_start start;
    __pancam_atomic_begin();
    start.routine.posix = LOAD(thread->of.routine);
    start.argument = LOAD(thread->argument);
    STORE(thread->of.routine, NULL);
    STORE(thread->argument, NULL);
    __pancam_atomic_end();
    return start;
}

static void run_thread(unsigned index) {
    struct thread_start start = __pancam_take_start(index);
    __pancam_return_from_thread(start.routine.posix(start.argument));
}

int pthread_create(pthread_t *restrict id, const pthread_attr_t *restrict attr, void *(*routine)(void *),
                   void *restrict argument) {
    struct thread_start start = {.routine.posix = routine, .argument = argument};
    unsigned detached = attr == NULL ? 0 : __pancam_attr_detached(attr);
    __pancam_atomic_begin();
    __pancam_create_thread(id, detached, run_thread, start);
    __pancam_atomic_end();
    return 0;
}

/* Threads that a driver starts. The first function makes number `index` a thread that runs, in the same step in which
 * the driver starts it; number 0 is always taken to be one. The second is where the thread begins. */
PROTOTYPE(void, __pancam_enter_thread, (unsigned index)) {
    if (index == 0) return;
    STORE(__pancam_threads[index].state, taken_state(index));
    STORE(other_threads, LOAD(other_threads) + 1);
}

PROTOTYPE(void, __pancam_begin_thread, (void *(*routine)(void *), void *argument)) {
    __pancam_return_from_thread(routine(argument));
}

void __pancam_return_from_thread(void *result) {
    if (__pancam_local.unwind != NULL || __pancam_local.buffers != NULL)
        misuse("a thread returned between pthread_cleanup_push and pthread_cleanup_pop");
    __pancam_local.exiting = 1;
    __pancam_local.result = result;
    __pancam_finish_thread();
}

void pthread_exit(void *result) {
    if (__pancam_local.exiting)
        misuse("pthread_exit called by a cleanup handler or destructor of a thread that is exiting");
    __pancam_local.exiting = 1;
    __pancam_local.result = result;
    __pancam_unwind();
}

/* After the cleanup handlers. The last thread takes the process with it. */
void __pancam_finish_thread(void) {
    if (__pancam_local.run_key_destructors != NULL) __pancam_local.run_key_destructors();
#ifdef PANCAM_CROWD
    if (__pancam_choose(2)) exit(0); /* nobody counts threads: it may have been the last one */
    __pancam_thread_end();
#else
    unsigned self = __pancam_self();
    struct pancam_thread *thread = __pancam_threads + self;
    void *result = __pancam_local.result;
    __pancam_atomic_begin();
    if (LOAD(other_threads) == 0) {
        __pancam_atomic_end();
        exit(0);
    }
    STORE(other_threads, LOAD(other_threads) - 1);
    if (LOAD(thread->state) & THREAD_DETACHED) {
        release(self);
    } else {
        STORE(thread->values, NULL);
        STORE(thread->of.result, result);
        STORE(thread->state, LOAD(thread->state) | THREAD_ENDED);
    }
    __pancam_thread_end();
#endif
}

/* The index that a pthread_t stands for. */
static unsigned index_of(pthread_t id, const char *message) {
#ifdef PANCAM_CROWD
    __pancam_fault(PANCAM_FAULT_CROWD_LIMIT, "a thread is asked for by its id");
#endif
    if (id == 0 || id > __pancam_thread_limit) misuse(message);
    return (unsigned)(id - 1);
}

static const char no_such_joinee[] = "pthread_join of a thread that does not exist (any more)";

/* In a section, when the thread is not both running and joinable. */
static int collect(unsigned index, void **result) {
    struct pancam_thread *thread = __pancam_threads + index;
    unsigned state = LOAD(thread->state);
    if (state == free_state(index)) misuse(no_such_joinee);
    if (state & THREAD_DETACHED) misuse("pthread_join of a detached thread");
    void *value = LOAD(thread->of.result);
    release(index);
    if (result != NULL) *result = value;
    __pancam_atomic_end();
    return 0;
}

/* Two threads that join the same one: whoever comes second finds that the thread is gone. */
int pthread_join(pthread_t id, void **result) {
    unsigned index = index_of(id, no_such_joinee);
    if (index == __pancam_self()) return EDEADLK;
    __pancam_await_not(&__pancam_threads[index].state, JOIN_MASK, taken_state(index));
    return collect(index, result);
}

int pthread_tryjoin_np(pthread_t id, void **result) {
    unsigned index = index_of(id, no_such_joinee);
    __pancam_atomic_begin();
    if (LOAD(__pancam_threads[index].state) == taken_state(index)) {
        __pancam_atomic_end();
        return EBUSY;
    }
    return collect(index, result);
}

int pthread_clockjoin_np(pthread_t id, void **result, clockid_t clock, const struct timespec *deadline) {
    if (!is_clock(clock)) return EINVAL;
    if (deadline == NULL) return pthread_join(id, result);
    unsigned index = index_of(id, no_such_joinee);
    if (index == __pancam_self()) return EDEADLK;
    if (!__pancam_await_not_timed(&__pancam_threads[index].state, JOIN_MASK, taken_state(index))) {
        __pancam_atomic_end();
        return time_out_error(deadline);
    }
    return collect(index, result);
}

int pthread_timedjoin_np(pthread_t id, void **result, const struct timespec *deadline) {
    return pthread_clockjoin_np(id, result, CLOCK_REALTIME, deadline);
}

int pthread_detach(pthread_t id) {
    static const char no_such_thread[] = "pthread_detach of a thread that does not exist (any more)";
    unsigned index = index_of(id, no_such_thread);
    struct pancam_thread *thread = __pancam_threads + index;
    __pancam_atomic_begin();
    unsigned state = LOAD(thread->state);
    if (state == free_state(index)) misuse(no_such_thread);
    if (state & THREAD_DETACHED) misuse("pthread_detach of a thread that is detached already");
    if (state & THREAD_ENDED)
        release(index);
    else
        STORE(thread->state, state | THREAD_DETACHED);
    __pancam_atomic_end();
    return 0;
}

pthread_t pthread_self(void) { return __pancam_self() + 1; }

int pthread_equal(pthread_t one, pthread_t other) { return one == other; }

/* In a section: the record of a thread that has not been joined. */
static struct pancam_thread *named_thread(pthread_t id) {
    static const char no_such_thread[] = "name of a thread that does not exist (any more)";
    unsigned index = index_of(id, no_such_thread);
    if (LOAD(__pancam_threads[index].state) == free_state(index)) misuse(no_such_thread);
    return __pancam_threads + index;
}

/* Names are at most 15 characters, and inherited by the threads that a thread creates, as on Linux. */
int pthread_setname_np(pthread_t id, const char *name) {
    unsigned words[NAME_WORDS] = {0}, length = 0;
    for (; name[length] != '\0'; length++) {
        if (length == sizeof words - 1) return ERANGE;
        words[length / 4] |= (unsigned)(unsigned char)name[length] << length % 4 * 8;
    }
    if (length == 0)
        words[NAME_WORDS - 1] = 1u << 24; /* the last character only serves to tell this from having no name */
    __pancam_atomic_begin();
    struct pancam_thread *thread = named_thread(id);
    for (unsigned i = 0; i < NAME_WORDS; i++) STORE(thread->name[i], words[i]);
    __pancam_atomic_end();
    return 0;
}

/* Without the folder, as Linux does. */
static const char *program_name(void) {
    const char *name = __pancam_arguments.count > 0 ? __pancam_arguments.values[0] : "";
    for (const char *c = name; *c != '\0'; c++)
        if (*c == '/') name = c + 1;
    return name;
}

int pthread_getname_np(pthread_t id, char *buffer, size_t size) {
    unsigned words[NAME_WORDS], any = 0;
    const char *program = program_name();
    if (size < sizeof words) return ERANGE;
    __pancam_atomic_begin();
    struct pancam_thread *thread = named_thread(id);
    for (unsigned i = 0; i < NAME_WORDS; i++) any |= words[i] = LOAD(thread->name[i]);
    for (unsigned i = 0; i < sizeof words - 1; i++) {
        char c = any ? (char)(words[i / 4] >> i % 4 * 8) : program[i];
        buffer[i] = c;
        if (c == '\0') break;
    }
    buffer[sizeof words - 1] = '\0';
    __pancam_atomic_end();
    return 0;
}
