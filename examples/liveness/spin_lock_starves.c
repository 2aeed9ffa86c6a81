/* SPDX-License-Identifier: Apache-2.0
 *
 * A test-and-set lock lets in whoever is quick: the one that leaves may always be the first to come back, and the other
 * one spins for ever although it runs again and again.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { THREADS = 2 };

static atomic_flag lock = ATOMIC_FLAG_INIT;
static volatile int wants[THREADS], inside[THREADS];

static void *visitor(void *argument) {
    int self = argument != NULL;
    for (;;) {
        wants[self] = 1;
        while (atomic_flag_test_and_set(&lock)) {
        }
        inside[self] = 1;
        wants[self] = 0;
        inside[self] = 0;
        atomic_flag_clear(&lock);
    }
    return NULL;
}

int main(void) {
    static pthread_t other;
    pthread_create(&other, NULL, visitor, &other);
    visitor(NULL);
    return 0;
}
