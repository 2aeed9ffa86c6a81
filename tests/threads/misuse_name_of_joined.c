// expect: fault THREAD_MISUSE
// SPDX-License-Identifier: Apache-2.0
// The name of a thread that has been joined.
#include "check.h"

static void *work(void *argument) { return argument; }

int main(void) {
    char name[16];
    pthread_t id;
    pthread_create(&id, NULL, work, NULL);
    pthread_join(id, NULL);
    pthread_getname_np(id, name, sizeof name);
    return 0;
}
