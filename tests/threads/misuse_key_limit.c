// expect: exit 0
// SPDX-License-Identifier: Apache-2.0
// At least 16 keys, then EAGAIN.
#include "check.h"

int main(void) {
    pthread_key_t key;
    int keys = 0, error;
    while ((error = pthread_key_create(&key, NULL)) == 0) keys++;
    CHECK(error == EAGAIN && keys >= 16);
    CHECK(pthread_key_delete(key) == 0);
    CHECK(pthread_key_create(&key, NULL) == 0);
    return 0;
}
