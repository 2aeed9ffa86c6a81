// SPDX-License-Identifier: Apache-2.0
// Spinlocks.
#include "check.h"

static pthread_spinlock_t lock;
static int counter;

static void *work(void *argument) {
    for (int i = 0; i < 20; i++) {
        CHECK(pthread_spin_lock(&lock) == 0);
        counter++;
        CHECK(pthread_spin_unlock(&lock) == 0);
    }
    return argument;
}

static void *try_it(void *argument) {
    CHECK(pthread_spin_trylock(&lock) == EBUSY);
    return argument;
}

int main(void) {
    pthread_t ids[3];
    CHECK(pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE) == 0);
    for (int i = 0; i < 3; i++) pthread_create(&ids[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++) pthread_join(ids[i], NULL);
    CHECK(pthread_spin_trylock(&lock) == 0);
    CHECK(pthread_spin_trylock(&lock) == EBUSY);
    pthread_create(&ids[0], NULL, try_it, NULL);
    pthread_join(ids[0], NULL);
    CHECK(pthread_spin_unlock(&lock) == 0);
    CHECK(pthread_spin_destroy(&lock) == 0);
    CHECK(pthread_spin_init(&lock, PTHREAD_PROCESS_SHARED) == 0);
    printf("%d\n", counter);
    return 0;
}
