/* SPDX-License-Identifier: Apache-2.0
 *
 * Mutexes. The lock word is 0 when free, else it names the owner in a way that lets one await decide: a thread that
 * owns a recursive or error-checking mutex does not wait for it, one that owns a normal mutex waits for ever, which is
 * the deadlock that POSIX describes.
 */
#include "threads.h"

#include <errno.h>
#include <limits.h>

/* Shares the place of the kind with glibc's static initialisers. */
struct mutex {
    unsigned lock;
    unsigned count; /* how many times more than once its owner has locked a recursive mutex */
    unsigned unused[offsetof(pthread_mutex_t, __data.__kind) / sizeof(unsigned) - 2];
    unsigned kind;
};
_Static_assert(offsetof(struct mutex, kind) == offsetof(pthread_mutex_t, __data.__kind), "place of the kind");
_Static_assert(sizeof(struct mutex) <= sizeof(pthread_mutex_t), "a mutex fits");

enum { OWNER_MASK = 0xffff, OWNER_NORMAL = 0x8000, DESTROYED = 0x10000 };

/* Bits of a pthread_mutexattr_t */
enum { ATTR_TYPE = 0x3, ATTR_SHARED = 0x10, ATTR_VALID = 0x100 };

static void misuse(const char *message) { __pancam_fault(PANCAM_FAULT_MUTEX_MISUSE, message); }

static struct mutex *view(pthread_mutex_t *mutex) { return (struct mutex *)(void *)mutex; }

static int is_checking(unsigned kind) { return kind == PTHREAD_MUTEX_RECURSIVE || kind == PTHREAD_MUTEX_ERRORCHECK; }

static unsigned owner_word(unsigned kind, unsigned self) {
    return is_checking(kind) ? self + 1 : (self + 1) | OWNER_NORMAL;
}

#ifndef PANCAM_CROWD
static unsigned own_number(void) { return __pancam_self(); }

/* In a section, as all that follow. `lock` is the word, `owner` what it is if this thread owns the mutex. */
static int is_owner(const struct mutex *mutex, unsigned lock, unsigned owner) {
    (void)mutex;
    return lock == owner;
}

static void take(struct mutex *mutex, unsigned kind, unsigned self) { STORE(mutex->lock, owner_word(kind, self)); }
static void give_back(struct mutex *mutex) { STORE(mutex->lock, 0u); }
#else
/* In searches with any number of threads (docs/adr/0021) threads have no numbers: each remembers itself what it owns.
 * Who waits for a mutex of a checking kind depends on its owner, so those are not for such searches. */
enum { MOST_OWNED = 4, SOMEBODY = 0x7ffe };
static _Thread_local struct mutex *owned[MOST_OWNED]; /* in the order of the locks, nulls behind them */

static unsigned own_number(void) { return SOMEBODY; }

static unsigned place_of(const struct mutex *mutex) {
    unsigned place = 0;
    while (place < MOST_OWNED && LOAD(owned[place]) != mutex) place++;
    return place;
}

static int is_owner(const struct mutex *mutex, unsigned lock, unsigned owner) {
    return lock == owner && place_of(mutex) < MOST_OWNED;
}

static void take(struct mutex *mutex, unsigned kind, unsigned self) {
    unsigned place = place_of(NULL);
    if (is_checking(kind) || place == MOST_OWNED)
        __pancam_fault(PANCAM_FAULT_CROWD_LIMIT, "a mutex that counts or checks, or a thread that owns many mutexes");
    STORE(owned[place], mutex);
    STORE(mutex->lock, owner_word(kind, self));
}

static void give_back(struct mutex *mutex) {
    for (unsigned place = place_of(mutex); place < MOST_OWNED; place++)
        STORE(owned[place], place + 1 < MOST_OWNED ? LOAD(owned[place + 1]) : NULL);
    STORE(mutex->lock, 0u);
}
#endif

/* In a section, as all that follows with a kind; also tells what is no mutex. */
static unsigned kind_of(const struct mutex *mutex) {
    unsigned kind = LOAD(mutex->kind);
    if (LOAD(mutex->lock) & DESTROYED) misuse("use of a destroyed mutex");
    if (kind > PTHREAD_MUTEX_ADAPTIVE_NP) misuse("use of a mutex that was never initialised");
    return kind;
}

/* Another lock by the owner of a mutex of a checking kind. */
static int lock_again(struct mutex *mutex, unsigned kind) {
    unsigned count = LOAD(mutex->count);
    if (kind == PTHREAD_MUTEX_ERRORCHECK) return EDEADLK;
    if (count == UINT_MAX - 1) return EAGAIN;
    STORE(mutex->count, count + 1);
    return 0;
}

/* In the section of an await; ends it. */
static int lock_and_end(struct mutex *mutex, unsigned self) {
    unsigned kind = kind_of(mutex);
    int error = 0;
    if (LOAD(mutex->lock) == 0)
        take(mutex, kind, self);
    else
        error = lock_again(mutex, kind);
    __pancam_atomic_end();
    return error;
}

int pthread_mutex_lock(pthread_mutex_t *given) {
    unsigned self = own_number();
    __pancam_await_either(&view(given)->lock, OWNER_MASK, 0, self + 1);
    return lock_and_end(view(given), self);
}

int pthread_mutex_timedlock(pthread_mutex_t *restrict given, const struct timespec *restrict deadline) {
    unsigned self = own_number();
    if (__pancam_await_either_timed(&view(given)->lock, OWNER_MASK, 0, self + 1))
        return lock_and_end(view(given), self);
    __pancam_atomic_end();
    return time_out_error(deadline);
}

int pthread_mutex_clocklock(pthread_mutex_t *restrict given, clockid_t clock,
                            const struct timespec *restrict deadline) {
    return is_clock(clock) ? pthread_mutex_timedlock(given, deadline) : EINVAL;
}

int pthread_mutex_trylock(pthread_mutex_t *given) {
    unsigned self = own_number();
    struct mutex *mutex = view(given);
    int error = EBUSY;
    __pancam_atomic_begin();
    unsigned kind = kind_of(mutex), lock = LOAD(mutex->lock);
    if (lock == 0) {
        take(mutex, kind, self);
        error = 0;
    } else if (lock == self + 1 && kind == PTHREAD_MUTEX_RECURSIVE) {
        error = lock_again(mutex, kind);
    }
    __pancam_atomic_end();
    return error;
}

/* In a section. The error of giving up a mutex that the thread does not own; for a normal one it is a fault. */
static int not_owner(unsigned kind, const char *message) {
    if (!is_checking(kind)) misuse(message);
    return EPERM;
}

int pthread_mutex_unlock(pthread_mutex_t *given) {
    unsigned self = own_number();
    struct mutex *mutex = view(given);
    int error = 0;
    __pancam_atomic_begin();
    unsigned kind = kind_of(mutex), lock = LOAD(mutex->lock), count = LOAD(mutex->count);
    if (!is_owner(mutex, lock, owner_word(kind, self)))
        error = not_owner(kind, lock == 0 ? "pthread_mutex_unlock of a mutex that is not locked"
                                          : "pthread_mutex_unlock of a mutex that another thread has locked");
    else if (count > 0)
        STORE(mutex->count, count - 1);
    else
        give_back(mutex);
    __pancam_atomic_end();
    return error;
}

int __pancam_mutex_release(pthread_mutex_t *given) {
    struct mutex *mutex = view(given);
    unsigned kind = kind_of(mutex);
    if (!is_owner(mutex, LOAD(mutex->lock), owner_word(kind, own_number())))
        return not_owner(kind, "wait on a condition variable with a mutex that the thread has not locked");
    if (LOAD(mutex->count) > 0) /* glibc gives up one lock of several: nobody else can get the mutex */
        misuse("wait on a condition variable with a recursive mutex that is locked more than once");
    give_back(mutex);
    return 0;
}

int __pancam_mutex_take_back(pthread_mutex_t *given) {
    struct mutex *mutex = view(given);
    unsigned kind = kind_of(mutex);
    if (LOAD(mutex->lock) != 0) return 0;
    take(mutex, kind, own_number());
    return 1;
}

void __pancam_mutex_await_free(pthread_mutex_t *given) { __pancam_await_either(&view(given)->lock, OWNER_MASK, 0, 0); }

static unsigned attributes(const pthread_mutexattr_t *attr) {
    unsigned bits = *(const unsigned *)(const void *)attr;
    if (!(bits & ATTR_VALID)) misuse("use of a mutex attributes object that is not initialised");
    return bits;
}

static void set_attributes(pthread_mutexattr_t *attr, unsigned bits) { *(unsigned *)(void *)attr = bits; }

int pthread_mutex_init(pthread_mutex_t *given, const pthread_mutexattr_t *attr) {
    unsigned kind = attr == NULL ? PTHREAD_MUTEX_DEFAULT : attributes(attr) & ATTR_TYPE;
    __pancam_atomic_begin();
#ifdef PANCAM_CROWD
    if (LOAD(view(given)->lock) & OWNER_MASK) /* its owner would not notice */
        __pancam_fault(PANCAM_FAULT_CROWD_LIMIT, "a locked mutex is initialised anew");
#endif
    clear_object(given, sizeof *given);
    STORE(view(given)->kind, kind);
    __pancam_atomic_end();
    return 0;
}

int pthread_mutex_destroy(pthread_mutex_t *given) {
    struct mutex *mutex = view(given);
    __pancam_atomic_begin();
    kind_of(mutex);
    if (LOAD(mutex->lock) != 0) misuse("pthread_mutex_destroy of a locked mutex");
    STORE(mutex->lock, (unsigned)DESTROYED);
    __pancam_atomic_end();
    return 0;
}

/* No mutex is robust, so none is ever inconsistent. */
int pthread_mutex_consistent(pthread_mutex_t *given) {
    __pancam_atomic_begin();
    kind_of(view(given));
    __pancam_atomic_end();
    return EINVAL;
}

int pthread_mutexattr_init(pthread_mutexattr_t *attr) {
    set_attributes(attr, ATTR_VALID | PTHREAD_MUTEX_DEFAULT);
    return 0;
}

int pthread_mutexattr_destroy(pthread_mutexattr_t *attr) {
    attributes(attr);
    set_attributes(attr, 0);
    return 0;
}

int pthread_mutexattr_settype(pthread_mutexattr_t *attr, int type) {
    unsigned bits = attributes(attr);
    if (type < PTHREAD_MUTEX_TIMED_NP || type > PTHREAD_MUTEX_ADAPTIVE_NP) return EINVAL;
    set_attributes(attr, (bits & ~(unsigned)ATTR_TYPE) | (unsigned)type);
    return 0;
}

int pthread_mutexattr_gettype(const pthread_mutexattr_t *restrict attr, int *restrict type) {
    *type = (int)(attributes(attr) & ATTR_TYPE);
    return 0;
}

/* There is one process, so sharing makes no difference. */
int pthread_mutexattr_setpshared(pthread_mutexattr_t *attr, int shared) {
    unsigned bits = attributes(attr) & ~(unsigned)ATTR_SHARED;
    if (shared != PTHREAD_PROCESS_PRIVATE && shared != PTHREAD_PROCESS_SHARED) return EINVAL;
    set_attributes(attr, shared == PTHREAD_PROCESS_SHARED ? bits | ATTR_SHARED : bits);
    return 0;
}

int pthread_mutexattr_getpshared(const pthread_mutexattr_t *restrict attr, int *restrict shared) {
    *shared = attributes(attr) & ATTR_SHARED ? PTHREAD_PROCESS_SHARED : PTHREAD_PROCESS_PRIVATE;
    return 0;
}

int pthread_mutexattr_setprotocol(pthread_mutexattr_t *attr, int protocol) {
    attributes(attr);
    if (protocol == PTHREAD_PRIO_NONE) return 0;
    return protocol == PTHREAD_PRIO_INHERIT || protocol == PTHREAD_PRIO_PROTECT ? ENOTSUP : EINVAL;
}

int pthread_mutexattr_getprotocol(const pthread_mutexattr_t *restrict attr, int *restrict protocol) {
    attributes(attr);
    *protocol = PTHREAD_PRIO_NONE;
    return 0;
}

int pthread_mutexattr_setrobust(pthread_mutexattr_t *attr, int robust) {
    attributes(attr);
    if (robust == PTHREAD_MUTEX_STALLED) return 0;
    return robust == PTHREAD_MUTEX_ROBUST ? ENOTSUP : EINVAL;
}

int pthread_mutexattr_getrobust(const pthread_mutexattr_t *attr, int *robust) {
    attributes(attr);
    *robust = PTHREAD_MUTEX_STALLED;
    return 0;
}
