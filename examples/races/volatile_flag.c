// SPDX-License-Identifier: Apache-2.0
// A message is handed over with a volatile flag. It arrives, as no assertion fails: compilers keep volatile accesses in
// order, and this machine has no reordering. But volatile does not synchronise, so both the flag and the message race.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int message;
static volatile int ready;

static void *send(void *unused) {
    message = 42;
    ready = 1;
    return unused;
}

int main(void) {
    pthread_t sender;
    pthread_create(&sender, NULL, send, NULL);
    if (ready) assert(message == 42);
    pthread_join(sender, NULL);
    return 0;
}
