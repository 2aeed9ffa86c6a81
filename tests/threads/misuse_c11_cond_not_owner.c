// expect: fault MUTEX_MISUSE
// SPDX-License-Identifier: Apache-2.0
// cnd_wait with a mutex that is not locked.
#include "check.h"
#include <threads.h>

int main(void) {
    mtx_t mutex;
    cnd_t condition;
    mtx_init(&mutex, mtx_plain);
    cnd_init(&condition);
    cnd_wait(&condition, &mutex);
    return 0;
}
