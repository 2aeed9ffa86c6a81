// expect: fault THREAD_MISUSE
// SPDX-License-Identifier: Apache-2.0
// Two threads join the same one.
#include "check.h"
#include <semaphore.h>

static pthread_t joined;
static sem_t go;

static void *work(void *argument) {
    sem_wait(&go);
    return argument;
}

static void *join_it(void *argument) {
    pthread_join(joined, NULL);
    return argument;
}

int main(void) {
    pthread_t ids[2];
    sem_init(&go, 0, 0);
    pthread_create(&joined, NULL, work, NULL);
    for (int i = 0; i < 2; i++) pthread_create(&ids[i], NULL, join_it, NULL);
    sem_post(&go);
    for (int i = 0; i < 2; i++) pthread_join(ids[i], NULL);
    return 0;
}
