/* SPDX-License-Identifier: Apache-2.0
 *
 * Thread-specific data. Values live in the thread's own storage; its record points to them, so that deleting a key can
 * forget its values in all threads and a key that is created anew starts with none.
 */
#include "threads.h"

#include <limits.h>

enum { KEYS = 32 };

static unsigned used_keys; /* one bit for each */
static void (*destructors[KEYS])(void *);
static _Thread_local void *values[KEYS];

/* In a section. */
static void check_key(pthread_key_t key) {
    if (key >= KEYS || !(LOAD(used_keys) >> key & 1))
        __pancam_fault(PANCAM_FAULT_KEY_MISUSE, "use of a key that was not created, or was deleted");
}

/* The lowest free key; EAGAIN when there are more than 32. */
int pthread_key_create(pthread_key_t *key, void (*destructor)(void *)) {
    int error = EAGAIN;
    __pancam_atomic_begin();
    unsigned used = LOAD(used_keys);
    if (used != ~0u) {
        unsigned free_key = (unsigned)__builtin_ctz(~used);
        STORE(used_keys, used | 1u << free_key);
        STORE(destructors[free_key], destructor);
        *key = free_key;
        error = 0;
    }
    __pancam_atomic_end();
    return error;
}

int pthread_key_delete(pthread_key_t key) {
    __pancam_atomic_begin();
    check_key(key);
    STORE(used_keys, LOAD(used_keys) & ~(1u << key));
    STORE(destructors[key], NULL);
    for (unsigned i = 0; i < __pancam_thread_limit; i++) {
        void **others = LOAD(__pancam_threads[i].values);
        if (others != NULL) STORE(others[key], NULL);
    }
    __pancam_atomic_end();
    return 0;
}

/* In a section: takes one value that has a destructor, with a key not below `key`. */
static int take_value(unsigned *key, void (**destructor)(void *), void **value) {
    for (; *key < KEYS; ++*key) {
        *value = LOAD(values[*key]);
        *destructor = LOAD(destructors[*key]);
        if (*value != NULL && *destructor != NULL) {
            STORE(values[*key], NULL);
            return 1;
        }
    }
    return 0;
}

/* Destructors may set values again; after a few rounds those are left alone. */
static void run_key_destructors(void) {
    for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS; round++) {
        int found = 0, any = 0;
        unsigned key = 0;
        do {
            void (*destructor)(void *), *value;
            __pancam_atomic_begin();
            found = take_value(&key, &destructor, &value);
            __pancam_atomic_end();
            if (found) destructor(value);
            any |= found;
            key++;
        } while (found);
        if (!any) return;
    }
}

int pthread_setspecific(pthread_key_t key, const void *value) {
    __pancam_atomic_begin();
    check_key(key);
    if (value != NULL && __pancam_local.run_key_destructors == NULL) {
        __pancam_local.run_key_destructors = run_key_destructors;
        STORE(__pancam_threads[__pancam_self()].values, values);
    }
    STORE(values[key], (void *)value);
    __pancam_atomic_end();
    return 0;
}

void *pthread_getspecific(pthread_key_t key) {
    __pancam_atomic_begin();
    check_key(key);
    void *value = LOAD(values[key]);
    __pancam_atomic_end();
    return value;
}
