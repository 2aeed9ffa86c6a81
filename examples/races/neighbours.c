// SPDX-License-Identifier: Apache-2.0
// Two threads write bytes that lie side by side: each is a place of its own, so that nothing races.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static struct {
    unsigned char ready, urgent;
    unsigned low : 4;
    unsigned : 0;
    unsigned high : 4;
} flags;

static void *set_urgent(void *unused) {
    flags.urgent = 1;
    flags.high = 2;
    return unused;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, set_urgent, NULL);
    flags.ready = 1;
    flags.low = 3;
    pthread_join(other, NULL);
    assert(flags.ready && flags.urgent && flags.low == 3 && flags.high == 2);
    return 0;
}
