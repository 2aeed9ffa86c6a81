// expect: fault THREAD_MISUSE
// SPDX-License-Identifier: Apache-2.0
// Detaching a thread twice.
#include "check.h"

int main(void) {
    pthread_detach(pthread_self());
    pthread_detach(pthread_self());
    return 0;
}
