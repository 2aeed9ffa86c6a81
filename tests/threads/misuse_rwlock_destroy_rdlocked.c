// expect: fault RWLOCK_MISUSE
// SPDX-License-Identifier: Apache-2.0
// Destroying a read-write lock that is held.
#include "check.h"

int main(void) {
    pthread_rwlock_t lock;
    pthread_rwlock_init(&lock, NULL);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_destroy(&lock);
    return 0;
}
