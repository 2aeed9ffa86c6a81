// SPDX-License-Identifier: Apache-2.0
// pthread_exit in main lets the others go on; the process ends with status 0 when the last thread ends.
#include "check.h"

static pthread_t main_thread;

static void at_exit(void) { puts("handler"); }

static void leave(void *value) { pthread_exit(value); }

static void *work(void *argument) {
    void *result;
    CHECK(pthread_join(main_thread, &result) == 0);
    printf("main left %d\n", *(int *)result);
    leave(argument);
    return NULL;
}

int main(void) {
    static int value = 5;
    pthread_t id;
    main_thread = pthread_self();
    atexit(at_exit);
    CHECK(pthread_create(&id, NULL, work, NULL) == 0);
    CHECK(pthread_detach(id) == 0);
    pthread_exit(&value);
}
