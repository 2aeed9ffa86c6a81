// SPDX-License-Identifier: Apache-2.0
// pthread_tryjoin_np, pthread_timedjoin_np and pthread_clockjoin_np.
#include "check.h"
#include <sched.h>
#include <semaphore.h>

static sem_t go;

static void *work(void *argument) {
    sem_wait(&go);
    return argument;
}

int main(void) {
    const struct timespec future = {2000000000, 0};
    pthread_t id;
    void *result = NULL;
    int error;
    sem_init(&go, 0, 0);
    CHECK(pthread_create(&id, NULL, work, (void *)3) == 0);
    CHECK(pthread_tryjoin_np(id, &result) == EBUSY);
    CHECK(pthread_timedjoin_np(id, &result, &PAST) == ETIMEDOUT);
    CHECK(pthread_clockjoin_np(id, &result, CLOCK_MONOTONIC, &PAST) == ETIMEDOUT);
    CHECK(pthread_clockjoin_np(id, &result, 77, &PAST) == EINVAL);
    CHECK(pthread_timedjoin_np(pthread_self(), &result, &PAST) == EDEADLK);
    sem_post(&go);
    while ((error = pthread_tryjoin_np(id, &result)) == EBUSY) sched_yield();
    CHECK(error == 0 && result == (void *)3);
    CHECK(pthread_create(&id, NULL, work, (void *)4) == 0);
    sem_post(&go);
    while ((error = pthread_timedjoin_np(id, &result, &future)) == ETIMEDOUT) sched_yield();
    CHECK(error == 0 && result == (void *)4);
    CHECK(pthread_create(&id, NULL, work, (void *)5) == 0);
    sem_post(&go);
    CHECK(pthread_timedjoin_np(id, &result, NULL) == 0 && result == (void *)5);
    puts("joined");
    return 0;
}
