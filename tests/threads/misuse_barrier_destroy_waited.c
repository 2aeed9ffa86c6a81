// expect: fault BARRIER_MISUSE
// SPDX-License-Identifier: Apache-2.0
// Destroying a barrier that a thread waits at: main is not the second to arrive.
#include "check.h"
#include <sched.h>

static pthread_barrier_t barrier;

static void *work(void *argument) {
    pthread_barrier_wait(&barrier);
    return argument;
}

int main(void) {
    pthread_t ids[2];
    pthread_barrier_init(&barrier, NULL, 2);
    for (int i = 0; i < 2; i++) pthread_create(&ids[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++) pthread_join(ids[i], NULL);
    pthread_create(&ids[0], NULL, work, NULL);
    while (1) {
        for (int i = 0; i < 100; i++) sched_yield();
        pthread_barrier_destroy(&barrier);
        pthread_barrier_init(&barrier, NULL, 2);
    }
}
