// expect: fault THREAD_MISUSE
// SPDX-License-Identifier: Apache-2.0
// A thread returns between pthread_cleanup_push and pthread_cleanup_pop.
#include "check.h"

static void say(void *text) { puts(text); }

static void *work(void *argument) {
    pthread_cleanup_push(say, "handler");
    return argument;
    pthread_cleanup_pop(0);
}

int main(void) {
    pthread_t id;
    pthread_create(&id, NULL, work, NULL);
    pthread_join(id, NULL);
    return 0;
}
