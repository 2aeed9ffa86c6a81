// expect: fault MUTEX_MISUSE
// SPDX-License-Identifier: Apache-2.0
// pthread_mutex_trylock of a destroyed mutex.
#include "check.h"

int main(void) {
    pthread_mutex_t mutex;
    pthread_mutex_init(&mutex, NULL);
    pthread_mutex_destroy(&mutex);
    pthread_mutex_trylock(&mutex);
    return 0;
}
