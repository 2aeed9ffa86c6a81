// expect: fault COND_MISUSE
// SPDX-License-Identifier: Apache-2.0
// pthread_cond_signal of a destroyed condition variable.
#include "check.h"

int main(void) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition;
    pthread_cond_init(&condition, NULL);
    pthread_mutex_lock(&mutex);
    pthread_cond_destroy(&condition);
    pthread_cond_signal(&condition);
    return 0;
}
