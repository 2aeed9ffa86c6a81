/* SPDX-License-Identifier: Apache-2.0
 *
 * Read-write locks. One word decides who waits; beside it the lock counts the read locks of each thread, so that an
 * unlock by a thread that holds nothing is noticed. As in glibc, readers come before writers that wait, unless the
 * lock is of the kind PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP.
 */
#include "threads.h"

/* Fields of the lock word: the writer's index plus 1; threads that read; writers that wait (preferred ones only). */
enum {
    WRITER = 0xff,
    READER_ONE = 0x100,
    READERS = 0xff00,
    WAITING_ONE = 0x10000,
    WAITING = 0xff0000,
    HOLDERS = WRITER | READERS,
    DESTROYED = 0x1000000
};

/* The counters of all threads share COUNT_WORDS words; how many bits each has depends on the limit of threads. */
enum { COUNT_WORDS = sizeof(pthread_rwlock_t) >= 56 ? 8 : 4 };

/* Shares the place of the kind with glibc's static initialisers. */
struct rwlock {
    unsigned lock;
    unsigned counts[COUNT_WORDS];
    unsigned char unused[offsetof(pthread_rwlock_t, __data.__flags) - (1 + COUNT_WORDS) * sizeof(unsigned)];
    unsigned char kind;
};
_Static_assert(offsetof(struct rwlock, kind) == offsetof(pthread_rwlock_t, __data.__flags), "place of the kind");
_Static_assert(sizeof(struct rwlock) <= sizeof(pthread_rwlock_t), "a read-write lock fits");
_Static_assert(sizeof(pthread_rwlock_t) % sizeof(unsigned) == 0, "it can be cleared word by word");

/* A pthread_rwlockattr_t */
enum { ATTR_KIND = 3, ATTR_SHARED = 4, ATTR_VALID = 0x100 };

static void misuse(const char *message) { __pancam_fault(PANCAM_FAULT_RWLOCK_MISUSE, message); }

static struct rwlock *view(pthread_rwlock_t *given) { return (struct rwlock *)(void *)given; }

/* In a section. */
static unsigned word_of(const struct rwlock *rwlock) {
    unsigned word = LOAD(rwlock->lock);
    if (word & DESTROYED) misuse("use of a destroyed read-write lock");
    return word;
}

static int prefers_writers(const struct rwlock *rwlock) {
    return LOAD(rwlock->kind) == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}

/* Where the read locks of a thread are counted. */
struct counter {
    unsigned *word;
    unsigned shift, mask;
};

static struct counter counter_of(struct rwlock *rwlock, unsigned thread) {
    unsigned per_word = (__pancam_thread_limit + COUNT_WORDS - 1) / COUNT_WORDS, bits = 32 / per_word;
    struct counter counter = {.word = rwlock->counts + thread / per_word,
                              .shift = thread % per_word * bits,
                              .mask = bits == 32 ? ~0u : (1u << bits) - 1};
    return counter;
}

/* In a section that it ends, when no writer is in the way. EAGAIN: as many read locks as can be counted. */
static int read_and_end(struct rwlock *rwlock, unsigned self) {
    struct counter counter = counter_of(rwlock, self);
    unsigned word = word_of(rwlock), counts = LOAD(*counter.word), held = counts >> counter.shift & counter.mask;
    int error = 0;
    if ((word & WRITER) == self + 1) {
        error = EDEADLK;
    } else if (held == counter.mask) {
        error = EAGAIN;
    } else {
        STORE(*counter.word, counts + (1u << counter.shift));
        if (held == 0) STORE(rwlock->lock, word + READER_ONE);
    }
    __pancam_atomic_end();
    return error;
}

int pthread_rwlock_rdlock(pthread_rwlock_t *given) {
    unsigned self = __pancam_self();
    __pancam_await_either(&view(given)->lock, WRITER | WAITING, 0, self + 1);
    return read_and_end(view(given), self);
}

int pthread_rwlock_timedrdlock(pthread_rwlock_t *restrict given, const struct timespec *restrict deadline) {
    unsigned self = __pancam_self();
    if (__pancam_await_either_timed(&view(given)->lock, WRITER | WAITING, 0, self + 1))
        return read_and_end(view(given), self);
    __pancam_atomic_end();
    return time_out_error(deadline);
}

int pthread_rwlock_clockrdlock(pthread_rwlock_t *restrict given, clockid_t clock,
                               const struct timespec *restrict deadline) {
    return is_clock(clock) ? pthread_rwlock_timedrdlock(given, deadline) : EINVAL;
}

int pthread_rwlock_tryrdlock(pthread_rwlock_t *given) {
    unsigned self = __pancam_self();
    __pancam_atomic_begin();
    if ((word_of(view(given)) & (WRITER | WAITING)) == 0) return read_and_end(view(given), self);
    __pancam_atomic_end();
    return EBUSY;
}

/* In a section that it ends, when nobody else holds the lock; `waited`: 1 if the thread is counted as waiting. */
static int write_and_end(struct rwlock *rwlock, unsigned self, unsigned waited) {
    unsigned word = word_of(rwlock);
    int error = 0;
    if ((word & WRITER) == self + 1)
        error = EDEADLK;
    else
        STORE(rwlock->lock, word - waited * WAITING_ONE + self + 1);
    __pancam_atomic_end();
    return error;
}

enum patience { FOR_EVER, UNTIL_DEADLINE };

/* A preferred writer that cannot have the lock at once is first counted, so that new readers wait for it. */
static int lock_for_writing(struct rwlock *rwlock, enum patience patience, const struct timespec *deadline) {
    unsigned self = __pancam_self(), waited = 0;
    if (prefers_writers(rwlock)) {
        __pancam_atomic_begin();
        unsigned word = word_of(rwlock);
        if ((word & HOLDERS) == 0 || (word & WRITER) == self + 1) return write_and_end(rwlock, self, 0);
        STORE(rwlock->lock, word + WAITING_ONE);
        __pancam_atomic_end();
        waited = 1;
    }
    if (patience == FOR_EVER) {
        __pancam_await_either(&rwlock->lock, HOLDERS, 0, self + 1);
    } else if (!__pancam_await_either_timed(&rwlock->lock, HOLDERS, 0, self + 1)) {
        STORE(rwlock->lock, LOAD(rwlock->lock) - waited * WAITING_ONE);
        __pancam_atomic_end();
        return time_out_error(deadline);
    }
    return write_and_end(rwlock, self, waited);
}

int pthread_rwlock_wrlock(pthread_rwlock_t *given) { return lock_for_writing(view(given), FOR_EVER, NULL); }

int pthread_rwlock_timedwrlock(pthread_rwlock_t *restrict given, const struct timespec *restrict deadline) {
    return lock_for_writing(view(given), UNTIL_DEADLINE, deadline);
}

int pthread_rwlock_clockwrlock(pthread_rwlock_t *restrict given, clockid_t clock,
                               const struct timespec *restrict deadline) {
    return is_clock(clock) ? pthread_rwlock_timedwrlock(given, deadline) : EINVAL;
}

int pthread_rwlock_trywrlock(pthread_rwlock_t *given) {
    unsigned self = __pancam_self();
    __pancam_atomic_begin();
    if ((word_of(view(given)) & HOLDERS) == 0) return write_and_end(view(given), self, 0);
    __pancam_atomic_end();
    return EBUSY;
}

int pthread_rwlock_unlock(pthread_rwlock_t *given) {
    unsigned self = __pancam_self();
    struct rwlock *rwlock = view(given);
    __pancam_atomic_begin();
    struct counter counter = counter_of(rwlock, self);
    unsigned word = word_of(rwlock), counts = LOAD(*counter.word), held = counts >> counter.shift & counter.mask;
    if ((word & WRITER) == self + 1) {
        STORE(rwlock->lock, word & ~(unsigned)WRITER);
    } else if (held > 0) {
        STORE(*counter.word, counts - (1u << counter.shift));
        if (held == 1) STORE(rwlock->lock, word - READER_ONE);
    } else {
        misuse("pthread_rwlock_unlock of a lock that the thread does not hold");
    }
    __pancam_atomic_end();
    return 0;
}

static unsigned attributes(const pthread_rwlockattr_t *attr) {
    unsigned bits = *(const unsigned *)(const void *)attr;
    if (!(bits & ATTR_VALID)) misuse("use of a read-write lock attributes object that is not initialised");
    return bits;
}

static void set_attributes(pthread_rwlockattr_t *attr, unsigned bits) { *(unsigned *)(void *)attr = bits; }

int pthread_rwlock_init(pthread_rwlock_t *restrict given, const pthread_rwlockattr_t *restrict attr) {
    unsigned kind = attr == NULL ? PTHREAD_RWLOCK_DEFAULT_NP : attributes(attr) & ATTR_KIND;
    __pancam_atomic_begin();
    clear_object(given, sizeof *given);
    STORE(view(given)->kind, (unsigned char)kind);
    __pancam_atomic_end();
    return 0;
}

int pthread_rwlock_destroy(pthread_rwlock_t *given) {
    __pancam_atomic_begin();
    if (word_of(view(given)) != 0) misuse("pthread_rwlock_destroy of a lock that is held");
    STORE(view(given)->lock, (unsigned)DESTROYED);
    __pancam_atomic_end();
    return 0;
}

int pthread_rwlockattr_init(pthread_rwlockattr_t *attr) {
    clear_object(attr, sizeof *attr);
    set_attributes(attr, ATTR_VALID | PTHREAD_RWLOCK_DEFAULT_NP);
    return 0;
}

int pthread_rwlockattr_destroy(pthread_rwlockattr_t *attr) {
    attributes(attr);
    set_attributes(attr, 0);
    return 0;
}

int pthread_rwlockattr_setkind_np(pthread_rwlockattr_t *attr, int kind) {
    unsigned bits = attributes(attr) & ~(unsigned)ATTR_KIND;
    if (kind < PTHREAD_RWLOCK_PREFER_READER_NP || kind > PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP) return EINVAL;
    set_attributes(attr, bits | (unsigned)kind);
    return 0;
}

int pthread_rwlockattr_getkind_np(const pthread_rwlockattr_t *restrict attr, int *restrict kind) {
    *kind = (int)(attributes(attr) & ATTR_KIND);
    return 0;
}

/* There is one process, so sharing makes no difference. */
int pthread_rwlockattr_setpshared(pthread_rwlockattr_t *attr, int shared) {
    unsigned bits = attributes(attr) & ~(unsigned)ATTR_SHARED;
    if (shared != PTHREAD_PROCESS_PRIVATE && shared != PTHREAD_PROCESS_SHARED) return EINVAL;
    set_attributes(attr, shared == PTHREAD_PROCESS_SHARED ? bits | ATTR_SHARED : bits);
    return 0;
}

int pthread_rwlockattr_getpshared(const pthread_rwlockattr_t *restrict attr, int *restrict shared) {
    *shared = attributes(attr) & ATTR_SHARED ? PTHREAD_PROCESS_SHARED : PTHREAD_PROCESS_PRIVATE;
    return 0;
}
