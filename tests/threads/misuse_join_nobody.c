// expect: fault THREAD_MISUSE
// SPDX-License-Identifier: Apache-2.0
// Join of an id that no thread has.
#include "check.h"

int main(void) {
    pthread_join((pthread_t)4711, NULL);
    return 0;
}
