// expect: exit 0
// SPDX-License-Identifier: Apache-2.0
// Errors that glibc cannot be made to show: too many locks, features that do not exist here.
#include "check.h"

int main(void) {
    pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    pthread_mutexattr_t attr;
    CHECK(pthread_mutex_lock(&mutex) == 0);
    mutex.__data.__count = 0xfffffffe;
    CHECK(pthread_mutex_lock(&mutex) == EAGAIN);
    CHECK(pthread_mutex_trylock(&mutex) == EAGAIN);
    CHECK(pthread_mutexattr_init(&attr) == 0);
    CHECK(pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST) == ENOTSUP);
    CHECK(pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT) == ENOTSUP);
    CHECK(pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_PROTECT) == ENOTSUP);
    return 0;
}
