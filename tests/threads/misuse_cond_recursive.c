// expect: fault MUTEX_MISUSE
// SPDX-License-Identifier: Apache-2.0
// A wait gives up one lock of a recursive mutex: locked twice, the mutex stays locked and nobody can signal.
#include "check.h"

static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

int main(void) {
    CHECK(pthread_cond_wait(&condition, &mutex) == EPERM);
    CHECK(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_lock(&mutex) == 0);
    pthread_cond_wait(&condition, &mutex);
    return 0;
}
