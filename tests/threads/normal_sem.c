// SPDX-License-Identifier: Apache-2.0
// Semaphores: values, waiting, errors.
#include "check.h"
#include <semaphore.h>

static sem_t items, ready;

static void *produce(void *argument) {
    for (int i = 0; i < 10; i++) CHECK(sem_post(&items) == 0);
    CHECK(sem_post(&ready) == 0);
    return argument;
}

int main(void) {
    pthread_t id;
    int value;
    CHECK(sem_init(&items, 0, 0x80000000u) == -1 && errno == EINVAL);
    CHECK(sem_init(&items, 0, 2) == 0 && sem_init(&ready, 0, 0) == 0);
    CHECK(sem_getvalue(&items, &value) == 0 && value == 2);
    CHECK(sem_wait(&items) == 0 && sem_trywait(&items) == 0);
    CHECK(sem_trywait(&items) == -1 && errno == EAGAIN);
    CHECK(sem_timedwait(&items, &PAST) == -1 && errno == ETIMEDOUT);
    CHECK(sem_timedwait(&items, &NO_TIME) == -1 && errno == EINVAL);
    CHECK(sem_clockwait(&items, CLOCK_MONOTONIC, &PAST) == -1 && errno == ETIMEDOUT);
    CHECK(sem_clockwait(&items, 77, &PAST) == -1 && errno == EINVAL);
    pthread_create(&id, NULL, produce, NULL);
    CHECK(sem_wait(&ready) == 0);
    for (int i = 0; i < 8; i++) CHECK(sem_wait(&items) == 0);
    CHECK(sem_timedwait(&items, &PAST) == 0 && sem_clockwait(&items, CLOCK_REALTIME, &PAST) == 0);
    CHECK(sem_getvalue(&items, &value) == 0);
    pthread_join(id, NULL);
    CHECK(sem_destroy(&items) == 0 && sem_destroy(&ready) == 0);
    CHECK(sem_init(&items, 1, 0x7fffffff) == 0);
    CHECK(sem_post(&items) == -1 && errno == EOVERFLOW);
    printf("%d\n", value);
    return 0;
}
