// SPDX-License-Identifier: Apache-2.0
// A message is handed over with an atomic flag: whoever sees the flag is alone with the message.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static int message;
static atomic_int ready;

static void *send(void *unused) {
    message = 42;
    atomic_store_explicit(&ready, 1, memory_order_release);
    return unused;
}

int main(void) {
    pthread_t sender;
    pthread_create(&sender, NULL, send, NULL);
    if (atomic_load_explicit(&ready, memory_order_acquire)) assert(message == 42);
    pthread_join(sender, NULL);
    assert(message == 42);
    return 0;
}
