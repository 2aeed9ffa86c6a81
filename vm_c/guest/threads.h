/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the thread library share: thread records, sets of threads, the mutex seen from condition
 * variables. The rules they all follow: an operation is one atomic section; a thread that has to wait does so at an
 * await that is its first shared access; what an operation takes it gives back byte for byte; every word that several
 * threads use is accessed by relaxed atomics, so that it counts as synchronisation and never as a data race.
 */
#ifndef PANCAM_GUEST_THREADS_H
#define PANCAM_GUEST_THREADS_H

#include "library.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

#define LOAD(place) __atomic_load_n(&(place), __ATOMIC_RELAXED)
#define STORE(place, value) __atomic_store_n(&(place), (value), __ATOMIC_RELAXED)

enum { NAME_WORDS = 4, THREAD_SET_WORDS = 2, MOST_THREADS = 64 };

/* Bits of pancam_thread.state. THREAD_CHANGED tells whether the slot is taken, seen from how the process starts: slot 0
 * is taken by main while the bit is clear, the others while it is set. So no record needs to be set up. */
enum { THREAD_CHANGED = 1, THREAD_ENDED = 2, THREAD_DETACHED = 4 };

/* What a new thread has to do; which of the two routines it is, its entry function knows. */
struct thread_start {
    union {
        void *(*posix)(void *);
        int (*c11)(void *);
    } routine;
    void *argument;
};

/* pthread_t is the index of the record plus 1. A free record is zero, but for the state of number 0. */
struct pancam_thread {
    unsigned state;
    unsigned blocked; /* 1 while the thread waits for another one to wake it, in a condition variable or a barrier */
    union {
        void *(*routine)(void *); /* until the thread has started */
        void *result;             /* after it has ended */
    } of;
    void *argument;            /* until the thread has started */
    void **values;             /* thread-specific values, once the thread has one (keys.c) */
    unsigned name[NAME_WORDS]; /* 16 characters; all zero: the program's name */
};
extern struct pancam_thread __pancam_threads[]; /* __pancam_thread_limit of them, in the image */

/* What only the thread itself looks at. */
struct pancam_local {
    __pthread_unwind_buf_t *unwind;          /* innermost active pthread_cleanup_push of the macros */
    struct _pthread_cleanup_buffer *buffers; /* innermost one of _pthread_cleanup_push */
    void (*run_key_destructors)(void);       /* null while the thread never set a thread-specific value */
    void *result;                            /* what pthread_exit was given */
    unsigned char exiting, cancel_state, cancel_type;
};
extern _Thread_local struct pancam_local __pancam_local;

/* threads.c */
void __pancam_create_thread(unsigned long *id, unsigned detached, void (*entry)(unsigned), struct thread_start start);
struct thread_start __pancam_take_start(unsigned index);
void __pancam_return_from_thread(void *result) __attribute__((noreturn));
void __pancam_finish_thread(void) __attribute__((noreturn));

/* cleanup.c */
void __pancam_unwind(void) __attribute__((noreturn));
void _pthread_cleanup_push(struct _pthread_cleanup_buffer *buffer, void (*routine)(void *), void *argument);
void _pthread_cleanup_pop(struct _pthread_cleanup_buffer *buffer, int execute);

/* thread_attr.c */
unsigned __pancam_attr_detached(const pthread_attr_t *attr);

/* mutex.c, for condition variables; both inside a section. Releasing gives the error, 0 for none, and the count of a
 * recursive mutex; taking back gives 0 when the mutex is not free. */
int __pancam_mutex_release(pthread_mutex_t *mutex);
int __pancam_mutex_take_back(pthread_mutex_t *mutex);
void __pancam_mutex_await_free(pthread_mutex_t *mutex);

static inline int is_deadline(const struct timespec *deadline) {
    return deadline->tv_nsec >= 0 && deadline->tv_nsec < 1000000000;
}

static inline int is_clock(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC; }

/* A wait that timed out. A bad deadline is only looked at now: that the thread waited before is the same as if it had
 * called later. */
static inline int time_out_error(const struct timespec *deadline) { return is_deadline(deadline) ? ETIMEDOUT : EINVAL; }

/* Zeroes a whole object of the user, padding included. */
static inline void clear_object(void *object, size_t size) {
    unsigned *words = object;
    for (size_t i = 0; i < size / sizeof *words; i++) STORE(words[i], 0u);
}

/* Sets of threads, one bit each */
static inline void add_thread(unsigned *set, unsigned thread) {
    STORE(set[thread / 32], LOAD(set[thread / 32]) | 1u << thread % 32);
}

static inline void remove_thread(unsigned *set, unsigned thread) {
    STORE(set[thread / 32], LOAD(set[thread / 32]) & ~(1u << thread % 32));
}

static inline unsigned count_threads(const unsigned *set) {
    return (unsigned)(__builtin_popcount(LOAD(set[0])) + __builtin_popcount(LOAD(set[1])));
}

/* The member of a set that has `skipped` smaller ones; there must be one. */
static inline unsigned find_thread(const unsigned *set, unsigned skipped) {
    unsigned index = 0, word = LOAD(set[0]), members = (unsigned)__builtin_popcount(word);
    if (skipped >= members) {
        skipped -= members;
        index = 32;
        word = LOAD(set[1]);
    }
    for (; skipped > 0; skipped--) word &= word - 1;
    return index + (unsigned)__builtin_ctz(word);
}

/* A thread's sleep until another one wakes it; the word is its own, so that the object it waited on may be gone by the
 * time it moves. fall_asleep is called in a section that then ends, the other two follow. */
static inline void fall_asleep(unsigned self) { STORE(__pancam_threads[self].blocked, 1u); }
static inline void wake_thread(unsigned thread) { STORE(__pancam_threads[thread].blocked, 0u); }
static inline void await_wake(unsigned self) { __pancam_await_either(&__pancam_threads[self].blocked, ~0u, 0, 0); }

#endif
