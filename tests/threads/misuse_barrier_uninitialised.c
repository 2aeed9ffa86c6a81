// expect: fault BARRIER_MISUSE
// SPDX-License-Identifier: Apache-2.0
// Wait at a barrier that was never initialised.
#include "check.h"

static pthread_barrier_t barrier;

int main(void) {
    pthread_barrier_wait(&barrier);
    return 0;
}
