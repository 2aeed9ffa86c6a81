// expect: fault DEADLOCK
// SPDX-License-Identifier: Apache-2.0
// A signal that nobody waits for is lost.
#include "check.h"

int main(void) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    pthread_cond_signal(&condition);
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&condition, &mutex);
    return 0;
}
