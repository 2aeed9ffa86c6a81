// expect: fault SEM_MISUSE
// SPDX-License-Identifier: Apache-2.0
// Destroying a semaphore that a thread waits on, or will.
#include "check.h"
#include <semaphore.h>

static sem_t semaphore;

static void *work(void *argument) {
    sem_wait(&semaphore);
    return argument;
}

int main(void) {
    pthread_t id;
    sem_init(&semaphore, 0, 0);
    pthread_create(&id, NULL, work, NULL);
    sem_destroy(&semaphore);
    pthread_join(id, NULL);
    return 0;
}
