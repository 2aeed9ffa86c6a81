// SPDX-License-Identifier: Apache-2.0
// Attributes of mutexes.
#include "check.h"

int main(void) {
    pthread_mutexattr_t attr;
    pthread_mutex_t mutex;
    int number;
    CHECK(pthread_mutexattr_init(&attr) == 0);
    CHECK(pthread_mutexattr_gettype(&attr, &number) == 0 && number == PTHREAD_MUTEX_DEFAULT);
    CHECK(pthread_mutexattr_settype(&attr, 77) == EINVAL);
    CHECK(pthread_mutexattr_getpshared(&attr, &number) == 0 && number == PTHREAD_PROCESS_PRIVATE);
    CHECK(pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED) == 0);
    CHECK(pthread_mutexattr_getpshared(&attr, &number) == 0 && number == PTHREAD_PROCESS_SHARED);
    CHECK(pthread_mutexattr_setpshared(&attr, 77) == EINVAL);
    CHECK(pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_PRIVATE) == 0);
    CHECK(pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_NONE) == 0);
    CHECK(pthread_mutexattr_setprotocol(&attr, 77) == EINVAL);
    CHECK(pthread_mutexattr_getprotocol(&attr, &number) == 0 && number == PTHREAD_PRIO_NONE);
    CHECK(pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_STALLED) == 0);
    CHECK(pthread_mutexattr_setrobust(&attr, 77) == EINVAL);
    CHECK(pthread_mutexattr_getrobust(&attr, &number) == 0 && number == PTHREAD_MUTEX_STALLED);
    CHECK(pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE) == 0);
    CHECK(pthread_mutexattr_gettype(&attr, &number) == 0 && number == PTHREAD_MUTEX_RECURSIVE);
    CHECK(pthread_mutex_init(&mutex, &attr) == 0);
    CHECK(pthread_mutexattr_destroy(&attr) == 0);
    CHECK(pthread_mutex_lock(&mutex) == 0);
    CHECK(pthread_mutex_lock(&mutex) == 0);
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    CHECK(pthread_mutex_consistent(&mutex) == EINVAL);
    CHECK(pthread_mutex_destroy(&mutex) == 0);
    puts("attributes");
    return 0;
}
