// expect: fault MUTEX_MISUSE
// SPDX-License-Identifier: Apache-2.0
// Unlock of a normal mutex that another thread has locked.
#include "check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *argument) {
    pthread_mutex_unlock(&mutex);
    return argument;
}

int main(void) {
    pthread_t id;
    pthread_mutex_lock(&mutex);
    pthread_create(&id, NULL, work, NULL);
    pthread_join(id, NULL);
    return 0;
}
