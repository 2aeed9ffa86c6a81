// SPDX-License-Identifier: Apache-2.0
// pthread_mutex_timedlock and pthread_mutex_clocklock: free, held, with a deadline that is none.
#include "check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static void *other(void *argument) {
    CHECK(pthread_mutex_timedlock(&mutex, &PAST) == ETIMEDOUT);
    CHECK(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &PAST) == ETIMEDOUT);
    CHECK(pthread_mutex_clocklock(&mutex, 77, &PAST) == EINVAL);
    CHECK(pthread_mutex_timedlock(&mutex, &NO_TIME) == EINVAL);
    return argument;
}

int main(void) {
    pthread_t id;
    CHECK(pthread_mutex_timedlock(&mutex, &PAST) == 0);
    CHECK(pthread_mutex_timedlock(&mutex, &PAST) == ETIMEDOUT);
    CHECK(pthread_create(&id, NULL, other, NULL) == 0);
    CHECK(pthread_join(id, NULL) == 0);
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    CHECK(pthread_mutex_clocklock(&mutex, CLOCK_REALTIME, &PAST) == 0);
    CHECK(pthread_mutex_timedlock(&checking, &PAST) == 0);
    CHECK(pthread_mutex_timedlock(&checking, &PAST) == EDEADLK);
    CHECK(pthread_mutex_timedlock(&recursive, &PAST) == 0);
    CHECK(pthread_mutex_timedlock(&recursive, &PAST) == 0);
    CHECK(pthread_mutex_unlock(&recursive) == 0);
    CHECK(pthread_mutex_unlock(&recursive) == 0);
    puts("timed");
    return 0;
}
