// expect: fault SPIN_MISUSE
// SPDX-License-Identifier: Apache-2.0
// Unlock of a spinlock that is not locked.
#include "check.h"

int main(void) {
    pthread_spinlock_t lock;
    pthread_spin_init(&lock, 0);
    pthread_spin_unlock(&lock);
    return 0;
}
