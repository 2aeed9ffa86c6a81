// expect: exit 0
// SPDX-License-Identifier: Apache-2.0
// pthread_spin_init refuses a value that does not exist.
#include "check.h"

int main(void) {
    pthread_spinlock_t lock;
    CHECK(pthread_spin_init(&lock, 77) == EINVAL);
    return 0;
}
