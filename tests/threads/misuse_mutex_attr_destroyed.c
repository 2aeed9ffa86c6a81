// expect: fault MUTEX_MISUSE
// SPDX-License-Identifier: Apache-2.0
// A mutex with an attributes object that is destroyed.
#include "check.h"

int main(void) {
    pthread_mutex_t mutex;
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_destroy(&attr);
    pthread_mutex_init(&mutex, &attr);
    return 0;
}
