// expect: fault RWLOCK_MISUSE
// SPDX-License-Identifier: Apache-2.0
// A read-write lock with an attributes object that is destroyed.
#include "check.h"

int main(void) {
    pthread_rwlock_t lock;
    pthread_rwlockattr_t attr;
    pthread_rwlockattr_init(&attr);
    pthread_rwlockattr_destroy(&attr);
    pthread_rwlock_init(&lock, &attr);
    return 0;
}
