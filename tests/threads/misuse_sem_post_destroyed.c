// expect: fault SEM_MISUSE
// SPDX-License-Identifier: Apache-2.0
// sem_post of a destroyed semaphore.
#include "check.h"
#include <semaphore.h>

int main(void) {
    sem_t semaphore;
    sem_init(&semaphore, 0, 1);
    sem_destroy(&semaphore);
    sem_post(&semaphore);
    return 0;
}
