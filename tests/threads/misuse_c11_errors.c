// expect: exit 0
// SPDX-License-Identifier: Apache-2.0
// mtx_init refuses a type that does not exist; glibc takes it for another one.
#include "check.h"
#include <threads.h>

int main(void) {
    mtx_t mutex;
    CHECK(mtx_init(&mutex, 77) == thrd_error);
    return 0;
}
