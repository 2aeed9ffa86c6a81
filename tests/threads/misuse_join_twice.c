// expect: fault THREAD_MISUSE
// SPDX-License-Identifier: Apache-2.0
// Join of a thread that has been joined.
#include "check.h"

static void *work(void *argument) { return argument; }

int main(void) {
    pthread_t id;
    pthread_create(&id, NULL, work, NULL);
    pthread_join(id, NULL);
    pthread_join(id, NULL);
    return 0;
}
