// expect: fault THREAD_MISUSE
// SPDX-License-Identifier: Apache-2.0
// pthread_exit in a destructor of a thread that exits.
#include "check.h"

static void leave(void *value) { pthread_exit(value); }

static void *work(void *argument) {
    pthread_key_t key;
    pthread_key_create(&key, leave);
    pthread_setspecific(key, &key);
    return argument;
}

int main(void) {
    pthread_t id;
    pthread_create(&id, NULL, work, NULL);
    pthread_join(id, NULL);
    return 0;
}
