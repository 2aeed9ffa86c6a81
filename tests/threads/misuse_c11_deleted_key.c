// expect: fault KEY_MISUSE
// SPDX-License-Identifier: Apache-2.0
// tss_get of a deleted key.
#include "check.h"
#include <threads.h>

int main(void) {
    tss_t key;
    tss_create(&key, NULL);
    tss_delete(key);
    return tss_get(key) != NULL;
}
