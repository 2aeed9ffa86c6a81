// expect: fault BARRIER_MISUSE
// SPDX-License-Identifier: Apache-2.0
// A barrier with an attributes object that is destroyed.
#include "check.h"

int main(void) {
    pthread_barrier_t barrier;
    pthread_barrierattr_t attr;
    pthread_barrierattr_init(&attr);
    pthread_barrierattr_destroy(&attr);
    pthread_barrier_init(&barrier, &attr, 1);
    return 0;
}
