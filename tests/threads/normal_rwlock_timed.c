// SPDX-License-Identifier: Apache-2.0
// Timed locks of a read-write lock.
#include "check.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *while_written(void *argument) {
    CHECK(pthread_rwlock_timedrdlock(&lock, &PAST) == ETIMEDOUT);
    CHECK(pthread_rwlock_timedwrlock(&lock, &PAST) == ETIMEDOUT);
    CHECK(pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &PAST) == ETIMEDOUT);
    CHECK(pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &PAST) == ETIMEDOUT);
    CHECK(pthread_rwlock_clockrdlock(&lock, 77, &PAST) == EINVAL);
    CHECK(pthread_rwlock_clockwrlock(&lock, 77, &PAST) == EINVAL);
    CHECK(pthread_rwlock_timedrdlock(&lock, &NO_TIME) == EINVAL);
    CHECK(pthread_rwlock_timedwrlock(&lock, &NO_TIME) == EINVAL);
    return argument;
}

static void *while_read(void *argument) {
    CHECK(pthread_rwlock_timedrdlock(&lock, &PAST) == 0);
    CHECK(pthread_rwlock_clockrdlock(&lock, CLOCK_REALTIME, &PAST) == 0);
    CHECK(pthread_rwlock_unlock(&lock) == 0);
    CHECK(pthread_rwlock_unlock(&lock) == 0);
    CHECK(pthread_rwlock_timedwrlock(&lock, &PAST) == ETIMEDOUT);
    return argument;
}

int main(void) {
    pthread_t id;
    CHECK(pthread_rwlock_timedwrlock(&lock, &PAST) == 0);
    CHECK(pthread_rwlock_timedwrlock(&lock, &PAST) == EDEADLK);
    CHECK(pthread_rwlock_timedrdlock(&lock, &PAST) == EDEADLK);
    pthread_create(&id, NULL, while_written, NULL);
    pthread_join(id, NULL);
    CHECK(pthread_rwlock_unlock(&lock) == 0);
    CHECK(pthread_rwlock_clockrdlock(&lock, CLOCK_REALTIME, &PAST) == 0);
    pthread_create(&id, NULL, while_read, NULL);
    pthread_join(id, NULL);
    CHECK(pthread_rwlock_unlock(&lock) == 0);
    CHECK(pthread_rwlock_clockwrlock(&lock, CLOCK_REALTIME, &PAST) == 0);
    CHECK(pthread_rwlock_unlock(&lock) == 0);
    puts("timed");
    return 0;
}
