// expect: fault THREAD_MISUSE
// SPDX-License-Identifier: Apache-2.0
// Join of a detached thread.
#include "check.h"

static void *work(void *argument) { return argument; }

int main(void) {
    pthread_t id;
    pthread_create(&id, NULL, work, NULL);
    pthread_detach(id);
    pthread_join(id, NULL);
    return 0;
}
