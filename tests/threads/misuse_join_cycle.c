// expect: fault DEADLOCK
// SPDX-License-Identifier: Apache-2.0
// Two threads that join each other.
#include "check.h"

static pthread_t main_thread;

static void *work(void *argument) {
    pthread_join(main_thread, NULL);
    return argument;
}

int main(void) {
    pthread_t id;
    main_thread = pthread_self();
    pthread_create(&id, NULL, work, NULL);
    pthread_join(id, NULL);
    return 0;
}
