// expect: fault RWLOCK_MISUSE
// SPDX-License-Identifier: Apache-2.0
// pthread_rwlock_tryrdlock of a destroyed lock.
#include "check.h"

int main(void) {
    pthread_rwlock_t lock;
    pthread_rwlock_init(&lock, NULL);
    pthread_rwlock_destroy(&lock);
    pthread_rwlock_tryrdlock(&lock);
    return 0;
}
