// SPDX-License-Identifier: Apache-2.0
// Attributes of condition variables.
#include "check.h"

int main(void) {
    pthread_condattr_t attr;
    pthread_cond_t condition;
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    clockid_t clock;
    int shared;
    CHECK(pthread_condattr_init(&attr) == 0);
    CHECK(pthread_condattr_getclock(&attr, &clock) == 0 && clock == CLOCK_REALTIME);
    CHECK(pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0);
    CHECK(pthread_condattr_getclock(&attr, &clock) == 0 && clock == CLOCK_MONOTONIC);
    CHECK(pthread_condattr_setclock(&attr, CLOCK_PROCESS_CPUTIME_ID) == EINVAL);
    CHECK(pthread_condattr_getpshared(&attr, &shared) == 0 && shared == PTHREAD_PROCESS_PRIVATE);
    CHECK(pthread_condattr_setpshared(&attr, PTHREAD_PROCESS_SHARED) == 0);
    CHECK(pthread_condattr_getpshared(&attr, &shared) == 0 && shared == PTHREAD_PROCESS_SHARED);
    CHECK(pthread_condattr_setpshared(&attr, 77) == EINVAL);
    CHECK(pthread_cond_init(&condition, &attr) == 0);
    CHECK(pthread_condattr_destroy(&attr) == 0);
    CHECK(pthread_mutex_lock(&mutex) == 0);
    CHECK(pthread_cond_timedwait(&condition, &mutex, &PAST) == ETIMEDOUT);
    CHECK(pthread_cond_destroy(&condition) == 0);
    CHECK(pthread_cond_init(&condition, NULL) == 0);
    CHECK(pthread_cond_signal(&condition) == 0);
    puts("attributes");
    return 0;
}
