// expect: fault DEADLOCK
// SPDX-License-Identifier: Apache-2.0
// A thread that locks a spinlock twice spins for ever.
#include "check.h"

int main(void) {
    pthread_spinlock_t lock;
    pthread_spin_init(&lock, 0);
    pthread_spin_lock(&lock);
    pthread_spin_lock(&lock);
    return 0;
}
