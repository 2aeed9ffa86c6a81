// expect: fault SPIN_MISUSE
// SPDX-License-Identifier: Apache-2.0
// pthread_spin_lock of a spinlock that was never initialised.
#include "check.h"

static pthread_spinlock_t lock;

int main(void) {
    pthread_spin_lock(&lock);
    return 0;
}
