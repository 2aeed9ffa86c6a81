// SPDX-License-Identifier: Apache-2.0
// sched_yield and its old name pthread_yield return 0.
#include "check.h"
#include <sched.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static int done;

static void *work(void *argument) {
    __atomic_store_n(&done, 1, __ATOMIC_SEQ_CST);
    return argument;
}

int main(void) {
    pthread_t id;
    pthread_create(&id, NULL, work, NULL);
    while (!__atomic_load_n(&done, __ATOMIC_SEQ_CST)) CHECK(sched_yield() == 0);
    CHECK(pthread_yield() == 0);
    pthread_join(id, NULL);
    puts("done");
    return 0;
}
