// expect: fault MUTEX_MISUSE
// SPDX-License-Identifier: Apache-2.0
// Destroying a locked mutex.
#include "check.h"

int main(void) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&mutex);
    pthread_mutex_destroy(&mutex);
    return 0;
}
