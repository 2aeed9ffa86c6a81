// expect: fault RWLOCK_MISUSE
// SPDX-License-Identifier: Apache-2.0
// Unlock by a thread that does not hold the lock, while another one does.
#include "check.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *work(void *argument) {
    pthread_rwlock_unlock(&lock);
    return argument;
}

int main(void) {
    pthread_t id;
    pthread_rwlock_rdlock(&lock);
    pthread_create(&id, NULL, work, NULL);
    pthread_join(id, NULL);
    return 0;
}
