// SPDX-License-Identifier: Apache-2.0
// Cleanup handlers: run by pop when asked to, and all of them, innermost first, by pthread_exit.
#include "check.h"

static void say(void *text) { puts(text); }

static void inner(int leave) {
    pthread_cleanup_push(say, "inner");
    if (leave) pthread_exit((void *)11);
    pthread_cleanup_pop(0);
}

static void *work(void *argument) {
    pthread_cleanup_push(say, "outer");
    pthread_cleanup_push(say, "popped");
    pthread_cleanup_pop(1);
    pthread_cleanup_push(say, "dropped");
    pthread_cleanup_pop(0);
    inner(0);
    pthread_cleanup_push(say, "middle");
    inner(argument != NULL);
    pthread_cleanup_pop(1);
    pthread_cleanup_pop(1);
    return (void *)12;
}

int main(void) {
    pthread_t id;
    void *result;
    for (long leave = 0; leave < 2; leave++) {
        CHECK(pthread_create(&id, NULL, work, (void *)leave) == 0);
        CHECK(pthread_join(id, &result) == 0);
        printf("%ld\n", (long)result);
    }
    pthread_cleanup_push(say, "main");
    inner(1);
    pthread_cleanup_pop(0);
}
