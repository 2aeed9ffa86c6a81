// expect: fault THREAD_MISUSE
// SPDX-License-Identifier: Apache-2.0
// thrd_join of a thread that has been joined.
#include "check.h"
#include <threads.h>

static int work(void *argument) { return argument != NULL; }

int main(void) {
    thrd_t id;
    thrd_create(&id, work, NULL);
    thrd_join(id, NULL);
    thrd_join(id, NULL);
    return 0;
}
