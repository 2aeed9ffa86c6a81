// expect: fault DEADLOCK
// SPDX-License-Identifier: Apache-2.0
// A barrier for more threads than there are.
#include "check.h"

int main(void) {
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_barrier_wait(&barrier);
    return 0;
}
