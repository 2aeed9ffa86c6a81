// expect: fault MUTEX_MISUSE
// SPDX-License-Identifier: Apache-2.0
// mtx_unlock of a mutex that is not locked.
#include "check.h"
#include <threads.h>

int main(void) {
    mtx_t mutex;
    mtx_init(&mutex, mtx_plain);
    mtx_unlock(&mutex);
    return 0;
}
