/* SPDX-License-Identifier: Apache-2.0
 *
 * Waiting in a loop for what another thread will do ends, but only if the scheduler lets the other one run.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int ready;
static int message;

static void *sender(void *unused) {
    message = 42;
    atomic_store(&ready, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, sender, NULL);
    while (!atomic_load(&ready)) {
    }
    pthread_join(thread, NULL);
    return message != 42;
}
