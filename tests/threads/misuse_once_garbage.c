// expect: fault THREAD_MISUSE
// SPDX-License-Identifier: Apache-2.0
// pthread_once with a control that is not PTHREAD_ONCE_INIT.
#include "check.h"

static void nothing(void) {}

int main(void) {
    pthread_once_t control = 4711;
    pthread_once(&control, nothing);
    return 0;
}
