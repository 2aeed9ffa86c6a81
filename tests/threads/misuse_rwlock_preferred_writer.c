// expect: fault DEADLOCK
// SPDX-License-Identifier: Apache-2.0
// A second read lock waits for a preferred writer, which waits for the first.
#include "check.h"
#include <sched.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

static void *write_it(void *argument) {
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    return argument;
}

int main(void) {
    pthread_t id;
    pthread_rwlock_rdlock(&lock);
    pthread_create(&id, NULL, write_it, NULL);
    while (pthread_rwlock_tryrdlock(&lock) == 0) {
        pthread_rwlock_unlock(&lock);
        sched_yield();
    }
    pthread_rwlock_rdlock(&lock);
    return 0;
}
