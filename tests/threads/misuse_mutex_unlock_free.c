// expect: fault MUTEX_MISUSE
// SPDX-License-Identifier: Apache-2.0
// Unlock of a normal mutex that is not locked.
#include "check.h"

int main(void) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_unlock(&mutex);
    return 0;
}
