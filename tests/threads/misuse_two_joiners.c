// expect: fault THREAD_MISUSE
// SPDX-License-Identifier: Apache-2.0
// Two threads join the same one.
#include "check.h"

static pthread_t joined;

static void *work(void *argument) { return argument; }

static void *join_it(void *argument) {
    pthread_join(joined, NULL);
    return argument;
}

int main(void) {
    pthread_t ids[2];
    pthread_create(&joined, NULL, work, NULL);
    for (int i = 0; i < 2; i++) pthread_create(&ids[i], NULL, join_it, NULL);
    for (int i = 0; i < 2; i++) pthread_join(ids[i], NULL);
    return 0;
}
