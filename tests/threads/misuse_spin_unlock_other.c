// expect: fault SPIN_MISUSE
// SPDX-License-Identifier: Apache-2.0
// Unlock of a spinlock that another thread has locked.
#include "check.h"

static pthread_spinlock_t lock;

static void *work(void *argument) {
    pthread_spin_unlock(&lock);
    return argument;
}

int main(void) {
    pthread_t id;
    pthread_spin_init(&lock, 0);
    pthread_spin_lock(&lock);
    pthread_create(&id, NULL, work, NULL);
    pthread_join(id, NULL);
    return 0;
}
