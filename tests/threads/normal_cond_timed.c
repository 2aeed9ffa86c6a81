// SPDX-License-Identifier: Apache-2.0
// Timed waits that time out, with the mutex locked again, and such with errors.
#include "check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int ready;

static void *signal_it(void *argument) {
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    return argument;
}

int main(void) {
    pthread_t id;
    pthread_mutex_lock(&mutex);
    CHECK(pthread_cond_timedwait(&condition, &mutex, &PAST) == ETIMEDOUT);
    CHECK(pthread_mutex_trylock(&mutex) == EBUSY);
    CHECK(pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &PAST) == ETIMEDOUT);
    CHECK(pthread_cond_clockwait(&condition, &mutex, 77, &PAST) == EINVAL);
    CHECK(pthread_cond_timedwait(&condition, &mutex, &NO_TIME) == EINVAL);
    CHECK(pthread_cond_wait(&condition, &checking) == EPERM);
    pthread_create(&id, NULL, signal_it, NULL);
    while (!ready) {
        int error = pthread_cond_timedwait(&condition, &mutex, &(struct timespec){2000000000, 0});
        CHECK(error == 0 || error == ETIMEDOUT);
    }
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    pthread_join(id, NULL);
    CHECK(pthread_cond_destroy(&condition) == 0);
    puts("timed");
    return 0;
}
