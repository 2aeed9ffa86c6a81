// SPDX-License-Identifier: Apache-2.0
// pthread_exit from within calls gives the result to whoever joins.
#include "check.h"

static void deep(long level) {
    if (level == 0) pthread_exit((void *)42);
    deep(level - 1);
    puts("not reached");
}

static void *work(void *argument) {
    deep((long)argument);
    return NULL;
}

int main(void) {
    pthread_t id;
    void *result;
    for (long level = 0; level < 4; level++) {
        CHECK(pthread_create(&id, NULL, work, (void *)level) == 0);
        CHECK(pthread_join(id, &result) == 0);
        printf("%ld\n", (long)result);
    }
    return 0;
}
