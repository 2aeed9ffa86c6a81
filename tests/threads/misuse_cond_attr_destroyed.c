// expect: fault COND_MISUSE
// SPDX-License-Identifier: Apache-2.0
// A condition variable with an attributes object that is destroyed.
#include "check.h"

int main(void) {
    pthread_cond_t condition;
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_destroy(&attr);
    pthread_cond_init(&condition, &attr);
    return 0;
}
