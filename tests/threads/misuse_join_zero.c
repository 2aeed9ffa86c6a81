// expect: fault THREAD_MISUSE
// SPDX-License-Identifier: Apache-2.0
// Join of an id that was never set.
#include "check.h"

int main(void) {
    pthread_join((pthread_t)0, NULL);
    return 0;
}
