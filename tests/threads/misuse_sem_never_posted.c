// expect: fault DEADLOCK
// SPDX-License-Identifier: Apache-2.0
// Waiting on a semaphore that nobody posts.
#include "check.h"
#include <semaphore.h>

int main(void) {
    sem_t semaphore;
    sem_init(&semaphore, 0, 1);
    sem_wait(&semaphore);
    sem_wait(&semaphore);
    return 0;
}
