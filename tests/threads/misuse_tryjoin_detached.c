// expect: fault THREAD_MISUSE
// SPDX-License-Identifier: Apache-2.0
// pthread_tryjoin_np of a detached thread.
#include "check.h"

static void *work(void *argument) { return argument; }

int main(void) {
    pthread_t id;
    pthread_create(&id, NULL, work, NULL);
    pthread_detach(id);
    pthread_tryjoin_np(id, NULL);
    return 0;
}
