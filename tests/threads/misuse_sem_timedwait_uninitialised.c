// expect: fault SEM_MISUSE
// SPDX-License-Identifier: Apache-2.0
// sem_timedwait of a semaphore that was never initialised.
#include "check.h"
#include <semaphore.h>

static sem_t semaphore;
static int value;

int main(void) {
    sem_timedwait(&semaphore, &PAST);
    return value;
}
