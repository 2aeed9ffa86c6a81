// expect: fault THREAD_LIMIT
// SPDX-License-Identifier: Apache-2.0
// More threads alive at once than the machine has room for.
#include "check.h"
#include <sched.h>

static void *work(void *argument) {
    sched_yield();
    return argument;
}

int main(void) {
    pthread_t id;
    for (int i = 0; i < 100; i++) pthread_create(&id, NULL, work, NULL);
    return 0;
}
