// expect: fault SPIN_MISUSE
// SPDX-License-Identifier: Apache-2.0
// Destroying a locked spinlock.
#include "check.h"

int main(void) {
    pthread_spinlock_t lock;
    pthread_spin_init(&lock, 0);
    pthread_spin_lock(&lock);
    pthread_spin_destroy(&lock);
    return 0;
}
