// SPDX-License-Identifier: Apache-2.0
// Lock, trylock and unlock of every kind of mutex, by the owner and by others.
#include "check.h"

static pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t adaptive = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;

static void *other(void *argument) {
    CHECK(pthread_mutex_trylock(&normal) == EBUSY);
    CHECK(pthread_mutex_trylock(&recursive) == EBUSY);
    CHECK(pthread_mutex_trylock(&checking) == EBUSY);
    CHECK(pthread_mutex_trylock(&adaptive) == EBUSY);
    CHECK(pthread_mutex_unlock(&recursive) == EPERM);
    CHECK(pthread_mutex_unlock(&checking) == EPERM);
    return argument;
}

int main(void) {
    pthread_t id;
    CHECK(pthread_mutex_lock(&normal) == 0);
    CHECK(pthread_mutex_trylock(&normal) == EBUSY);
    CHECK(pthread_mutex_lock(&adaptive) == 0);
    CHECK(pthread_mutex_trylock(&adaptive) == EBUSY);
    CHECK(pthread_mutex_lock(&checking) == 0);
    CHECK(pthread_mutex_lock(&checking) == EDEADLK);
    CHECK(pthread_mutex_trylock(&checking) == EBUSY);
    for (int i = 0; i < 5; i++)
        CHECK((i % 2 ? pthread_mutex_lock(&recursive) : pthread_mutex_trylock(&recursive)) == 0);
    CHECK(pthread_create(&id, NULL, other, NULL) == 0);
    CHECK(pthread_join(id, NULL) == 0);
    for (int i = 0; i < 5; i++) CHECK(pthread_mutex_unlock(&recursive) == 0);
    CHECK(pthread_mutex_unlock(&recursive) == EPERM);
    CHECK(pthread_mutex_unlock(&checking) == 0);
    CHECK(pthread_mutex_unlock(&checking) == EPERM);
    CHECK(pthread_mutex_unlock(&adaptive) == 0);
    CHECK(pthread_mutex_unlock(&normal) == 0);
    CHECK(pthread_mutex_destroy(&normal) == 0);
    CHECK(pthread_mutex_destroy(&recursive) == 0);
    CHECK(pthread_mutex_destroy(&checking) == 0);
    CHECK(pthread_mutex_destroy(&adaptive) == 0);
    CHECK(pthread_mutex_init(&normal, NULL) == 0);
    CHECK(pthread_mutex_lock(&normal) == 0);
    puts("kinds");
    return 0;
}
