// expect: fault DEADLOCK
// SPDX-License-Identifier: Apache-2.0
// A thread that locks a normal mutex twice waits for ever.
#include "check.h"

int main(void) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&mutex);
    puts("once");
    pthread_mutex_lock(&mutex);
    return 0;
}
