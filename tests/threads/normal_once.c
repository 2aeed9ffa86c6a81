// SPDX-License-Identifier: Apache-2.0
// pthread_once: one call, finished before any caller goes on; after an exit in the routine another may call it.
#include "check.h"

static pthread_once_t once = PTHREAD_ONCE_INIT, unfinished = PTHREAD_ONCE_INIT;
static int calls, ready;

static void initialise(void) {
    calls++;
    ready = 1;
}

static void give_up(void) {
    if (calls++ == 1) pthread_exit(NULL);
}

static void *work(void *argument) {
    CHECK(pthread_once(&once, initialise) == 0);
    CHECK(ready == 1);
    return argument;
}

static void *try_in_vain(void *argument) {
    pthread_once(&unfinished, give_up);
    puts("not reached");
    return argument;
}

int main(void) {
    pthread_t ids[3];
    for (int i = 0; i < 3; i++) CHECK(pthread_create(&ids[i], NULL, work, NULL) == 0);
    work(NULL);
    for (int i = 0; i < 3; i++) CHECK(pthread_join(ids[i], NULL) == 0);
    printf("%d call\n", calls);
    CHECK(pthread_create(&ids[0], NULL, try_in_vain, NULL) == 0);
    CHECK(pthread_join(ids[0], NULL) == 0);
    CHECK(pthread_once(&unfinished, give_up) == 0);
    CHECK(pthread_once(&unfinished, give_up) == 0);
    printf("%d calls\n", calls);
    return 0;
}
