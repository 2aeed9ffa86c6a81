// SPDX-License-Identifier: Apache-2.0
// Names of threads: at most 15 characters, inherited by new threads, kept until the thread is joined.
#include "check.h"

static void *work(void *argument) {
    char name[16];
    CHECK(pthread_getname_np(pthread_self(), name, sizeof name) == 0);
    puts(name);
    CHECK(pthread_setname_np(pthread_self(), "worker") == 0);
    CHECK(pthread_getname_np(pthread_self(), name, sizeof name) == 0);
    puts(name);
    return argument;
}

int main(void) {
    char name[16];
    pthread_t id;
    CHECK(pthread_setname_np(pthread_self(), "fifteen letters") == 0);
    CHECK(pthread_setname_np(pthread_self(), "sixteen letters!") == ERANGE);
    CHECK(pthread_getname_np(pthread_self(), name, 15) == ERANGE);
    CHECK(pthread_getname_np(pthread_self(), name, sizeof name) == 0);
    puts(name);
    CHECK(pthread_create(&id, NULL, work, NULL) == 0);
    CHECK(pthread_join(id, NULL) == 0);
    CHECK(pthread_setname_np(pthread_self(), "") == 0);
    CHECK(pthread_getname_np(pthread_self(), name, sizeof name) == 0);
    printf("[%s]\n", name);
    return 0;
}
