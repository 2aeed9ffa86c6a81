// expect: fault RWLOCK_MISUSE
// SPDX-License-Identifier: Apache-2.0
// Unlock of a read-write lock that nobody holds.
#include "check.h"

int main(void) {
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    return 0;
}
