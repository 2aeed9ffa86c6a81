// expect: fault DEADLOCK
// SPDX-License-Identifier: Apache-2.0
// pthread_once called by its own routine.
#include "check.h"

static pthread_once_t control = PTHREAD_ONCE_INIT;

static void again(void) { pthread_once(&control, again); }

int main(void) {
    pthread_once(&control, again);
    return 0;
}
