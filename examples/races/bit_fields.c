// SPDX-License-Identifier: Apache-2.0
// Two threads set bit-fields that lie side by side. They share their byte, and one write can undo the other.
#include <pthread.h>
#include <stddef.h>

static struct {
    unsigned ready : 1;
    unsigned urgent : 1;
} flags;

static void *set_urgent(void *unused) {
    flags.urgent = 1;
    return unused;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, set_urgent, NULL);
    flags.ready = 1;
    pthread_join(other, NULL);
    return 0;
}
