// SPDX-License-Identifier: Apache-2.0
// Detached threads, by attribute, by another thread, by themselves, and after their end.
#include "check.h"
#include <sched.h>
#include <semaphore.h>

static sem_t done;

static void *work(void *argument) {
    if (argument != NULL) CHECK(pthread_detach(pthread_self()) == 0);
    sem_post(&done);
    return argument;
}

int main(void) {
    pthread_t id;
    pthread_attr_t attr;
    int state;
    sem_init(&done, 0, 0);
    CHECK(pthread_attr_init(&attr) == 0);
    CHECK(pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED) == 0);
    CHECK(pthread_attr_getdetachstate(&attr, &state) == 0 && state == PTHREAD_CREATE_DETACHED);
    for (int i = 0; i < 20; i++) {
        CHECK(pthread_create(&id, i % 3 == 0 ? &attr : NULL, work, i % 3 == 1 ? &id : NULL) == 0);
        if (i % 3 == 2) CHECK(pthread_detach(id) == 0);
        sem_wait(&done);
        sched_yield();
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    CHECK(pthread_attr_destroy(&attr) == 0);
    puts("detached");
    return 0;
}
