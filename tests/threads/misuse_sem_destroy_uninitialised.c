// expect: fault SEM_MISUSE
// SPDX-License-Identifier: Apache-2.0
// sem_destroy of a semaphore that was never initialised.
#include "check.h"
#include <semaphore.h>

static sem_t semaphore;
static int value;

int main(void) {
    sem_destroy(&semaphore);
    return value;
}
