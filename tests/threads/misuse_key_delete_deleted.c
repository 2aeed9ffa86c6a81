// expect: fault KEY_MISUSE
// SPDX-License-Identifier: Apache-2.0
// pthread_key_delete of a deleted key.
#include "check.h"

int main(void) {
    pthread_key_t key;
    pthread_key_create(&key, NULL);
    pthread_key_delete(key);
    pthread_key_delete(key);
    return 0;
}
