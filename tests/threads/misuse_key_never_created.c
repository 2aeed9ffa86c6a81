// expect: fault KEY_MISUSE
// SPDX-License-Identifier: Apache-2.0
// A value for a key that was never created.
#include "check.h"

int main(void) {
    pthread_setspecific(4711, "value");
    return 0;
}
