// expect: fault MUTEX_MISUSE
// SPDX-License-Identifier: Apache-2.0
// Wait on a condition variable with a normal mutex that is not locked.
#include "check.h"

int main(void) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    pthread_cond_wait(&condition, &mutex);
    return 0;
}
