// expect: exit 0
// SPDX-License-Identifier: Apache-2.0
// Read locks nest as deep as can be counted, then EAGAIN; all can be given back.
#include "check.h"

int main(void) {
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    int depth = 0, error;
    while (depth < 70000 && (error = pthread_rwlock_rdlock(&lock)) == 0) depth++;
    CHECK(error == 0 || error == EAGAIN);
    CHECK(depth > 100);
    while (depth-- > 0) CHECK(pthread_rwlock_unlock(&lock) == 0);
    CHECK(pthread_rwlock_wrlock(&lock) == 0);
    CHECK(pthread_rwlock_unlock(&lock) == 0);
    return 0;
}
