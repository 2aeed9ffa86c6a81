// expect: fault THREAD_MISUSE
// SPDX-License-Identifier: Apache-2.0
// A function returns between push and pop; its caller pops.
#include "check.h"

static void say(void *text) { puts(text); }

static void leave(void) {
    pthread_cleanup_push(say, "inner");
    return;
    pthread_cleanup_pop(0);
}

int main(void) {
    pthread_cleanup_push(say, "outer");
    leave();
    pthread_cleanup_pop(0);
    return 0;
}
