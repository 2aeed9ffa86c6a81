// SPDX-License-Identifier: Apache-2.0
// The state of cancellation can be set and read.
#include "check.h"

int main(void) {
    int old = 77;
    CHECK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old) == 0 && old == PTHREAD_CANCEL_ENABLE);
    CHECK(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old) == 0 && old == PTHREAD_CANCEL_DISABLE);
    CHECK(pthread_setcancelstate(77, &old) == EINVAL);
    CHECK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old) == 0 && old == PTHREAD_CANCEL_DEFERRED);
    CHECK(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old) == 0 && old == PTHREAD_CANCEL_ASYNCHRONOUS);
    CHECK(pthread_setcanceltype(77, &old) == EINVAL);
    pthread_testcancel();
    puts("cancellation");
    return 0;
}
