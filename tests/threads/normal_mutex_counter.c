// SPDX-License-Identifier: Apache-2.0
// Mutual exclusion: no increment gets lost.
#include "check.h"
#include <sched.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *work(void *argument) {
    for (int i = 0; i < 50; i++) {
        if (i % 5 == 0)
            while (pthread_mutex_trylock(&mutex) != 0) sched_yield();
        else
            CHECK(pthread_mutex_lock(&mutex) == 0);
        int old = counter;
        if (i % 7 == 0) sched_yield();
        counter = old + 1;
        CHECK(pthread_mutex_unlock(&mutex) == 0);
    }
    return argument;
}

int main(void) {
    pthread_t ids[4];
    for (int i = 0; i < 4; i++) CHECK(pthread_create(&ids[i], NULL, work, NULL) == 0);
    for (int i = 0; i < 4; i++) CHECK(pthread_join(ids[i], NULL) == 0);
    printf("%d\n", counter);
    return 0;
}
