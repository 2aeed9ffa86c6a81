// expect: fault BARRIER_MISUSE
// SPDX-License-Identifier: Apache-2.0
// pthread_barrier_wait of a destroyed barrier.
#include "check.h"

int main(void) {
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, NULL, 1);
    pthread_barrier_destroy(&barrier);
    pthread_barrier_wait(&barrier);
    return 0;
}
