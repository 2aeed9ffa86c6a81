// expect: fault MUTEX_MISUSE
// SPDX-License-Identifier: Apache-2.0
// Lock of memory that never was a mutex.
#include "check.h"

int main(void) {
    pthread_mutex_t mutex;
    int *words = (int *)&mutex;
    for (unsigned i = 0; i < sizeof mutex / sizeof *words; i++) words[i] = i == 0 ? 0 : 1234567;
    pthread_mutex_lock(&mutex);
    return 0;
}
