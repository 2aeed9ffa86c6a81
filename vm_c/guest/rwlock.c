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
    if (word & DESTROYED)
        misuse("use of a destroyed read-write lock");
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
        if (held == 0)
            STORE(rwlock->lock, word + READER_ONE);
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
    if ((word_of(view(given)) & (WRITER | WAITING)) == 0)
        return read_and_end(view(given), self);
    __pancam_atomic_end();
    return EBUSY;
}

/* In a section that it ends, when nobody else holds the lock; `arrived`: the thread was a waiting writer. */
static int write_and_end(struct rwlock *rwlock, unsigned self, unsigned arrived) {
    unsigned word = word_of(rwlock);
    int error = 0;
    if ((word & WRITER) == self + 1)
        error = EDEADLK;
    else
        STORE(rwlock->lock, word - arrived * WAITING_ONE + self + 1);
    __pancam_atomic_end();
    return error;
}

/* A preferred writer that cannot have the lock at once becomes a waiting one, which readers respect. Gives whether it
 * did; if not, and if the lock is taken meanwhile, it will after the await of its caller. */
static unsigned start_waiting(struct rwlock *rwlock, unsigned self) {
    if (!prefers_writers(rwlock))
        return 0;
    __pancam_atomic_begin();
    unsigned word = word_of(rwlock), waits = (word & HOLDERS) != 0 && (word & WRITER) != self + 1;
    if (waits)
        STORE(rwlock->lock, word + WAITING_ONE);
    return waits;
}

/* What a writer does that cannot wait for ever; in a section that it ends. */
static int stop_waiting(struct rwlock *rwlock, unsigned arrived, int error) {
    STORE(rwlock->lock, LOAD(rwlock->lock) - arrived * WAITING_ONE);
    __pancam_atomic_end();
    return error;
}
