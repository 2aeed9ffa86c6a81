// SPDX-License-Identifier: Apache-2.0
// A recursive mutex that is locked once works with a condition variable like any other.
#include "check.h"

static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int ready;

static void *work(void *argument) {
    CHECK(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_lock(&mutex) == 0);
    ready = 1;
    CHECK(pthread_cond_signal(&condition) == 0);
    CHECK(pthread_mutex_unlock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
    return argument;
}

int main(void) {
    pthread_t id;
    CHECK(pthread_mutex_lock(&mutex) == 0);
    pthread_create(&id, NULL, work, NULL);
    while (!ready) CHECK(pthread_cond_wait(&condition, &mutex) == 0);
    CHECK(pthread_mutex_unlock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == EPERM);
    pthread_join(id, NULL);
    puts("done");
    return 0;
}
