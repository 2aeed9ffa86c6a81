// SPDX-License-Identifier: Apache-2.0
// Attributes of read-write locks, and locks that prefer writers.
#include "check.h"

static pthread_rwlock_t lock;
static pthread_rwlock_t preferring = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static int total;

static void *work(void *argument) {
    for (int i = 0; i < 5; i++) {
        CHECK(pthread_rwlock_rdlock(&preferring) == 0);
        CHECK(pthread_rwlock_unlock(&preferring) == 0);
        CHECK(pthread_rwlock_wrlock(&preferring) == 0);
        total++;
        CHECK(pthread_rwlock_unlock(&preferring) == 0);
    }
    return argument;
}

int main(void) {
    pthread_rwlockattr_t attr;
    pthread_t ids[3];
    int number;
    CHECK(pthread_rwlockattr_init(&attr) == 0);
    CHECK(pthread_rwlockattr_getpshared(&attr, &number) == 0 && number == PTHREAD_PROCESS_PRIVATE);
    CHECK(pthread_rwlockattr_setpshared(&attr, PTHREAD_PROCESS_SHARED) == 0);
    CHECK(pthread_rwlockattr_getpshared(&attr, &number) == 0 && number == PTHREAD_PROCESS_SHARED);
    CHECK(pthread_rwlockattr_setpshared(&attr, 77) == EINVAL);
    CHECK(pthread_rwlockattr_getkind_np(&attr, &number) == 0 && number == PTHREAD_RWLOCK_DEFAULT_NP);
    CHECK(pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP) == 0);
    CHECK(pthread_rwlockattr_getkind_np(&attr, &number) == 0);
    CHECK(number == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    CHECK(pthread_rwlockattr_setkind_np(&attr, 77) == EINVAL);
    CHECK(pthread_rwlock_init(&lock, &attr) == 0);
    CHECK(pthread_rwlockattr_destroy(&attr) == 0);
    CHECK(pthread_rwlock_wrlock(&lock) == 0);
    CHECK(pthread_rwlock_wrlock(&lock) == EDEADLK);
    CHECK(pthread_rwlock_unlock(&lock) == 0);
    CHECK(pthread_rwlock_destroy(&lock) == 0);
    for (int i = 0; i < 3; i++) pthread_create(&ids[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++) pthread_join(ids[i], NULL);
    CHECK(pthread_rwlock_destroy(&preferring) == 0);
    printf("%d\n", total);
    return 0;
}
