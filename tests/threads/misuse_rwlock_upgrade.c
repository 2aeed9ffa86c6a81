// expect: fault DEADLOCK
// SPDX-License-Identifier: Apache-2.0
// A reader that wants to write waits for itself.
#include "check.h"

int main(void) {
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_wrlock(&lock);
    return 0;
}
