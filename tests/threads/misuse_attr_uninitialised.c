// expect: fault THREAD_MISUSE
// SPDX-License-Identifier: Apache-2.0
// A thread with an attributes object that is destroyed.
#include "check.h"

static void *work(void *argument) { return argument; }

int main(void) {
    pthread_t id;
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_destroy(&attr);
    pthread_create(&id, &attr, work, NULL);
    return 0;
}
