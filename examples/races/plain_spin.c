// SPDX-License-Identifier: Apache-2.0
// A thread waits in a loop for a plain variable. The optimiser may read it once and wait for ever; what allows it to is
// this data race.
#include <pthread.h>
#include <stddef.h>

static int go;

static void *wait_for_go(void *unused) {
    while (!go);
    return unused;
}

int main(void) {
    pthread_t waiter;
    pthread_create(&waiter, NULL, wait_for_go, NULL);
    go = 1;
    pthread_join(waiter, NULL);
    return 0;
}
