// expect: fault COND_MISUSE
// SPDX-License-Identifier: Apache-2.0
// Destroying a condition variable that a thread waits on.
#include "check.h"
#include <sched.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int waits;

static void *work(void *argument) {
    pthread_mutex_lock(&mutex);
    waits = 1;
    pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
    return argument;
}

static void start(void) {
    pthread_t id;
    pthread_create(&id, NULL, work, NULL);
    pthread_mutex_lock(&mutex);
    while (!waits) {
        pthread_mutex_unlock(&mutex);
        sched_yield();
        pthread_mutex_lock(&mutex);
    }
    pthread_mutex_unlock(&mutex);
}

int main(void) {
    start();
    pthread_cond_destroy(&condition);
    return 0;
}
