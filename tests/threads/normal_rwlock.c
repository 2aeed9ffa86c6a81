// SPDX-License-Identifier: Apache-2.0
// Readers together, writers alone; read locks nest; errors for the owner.
#include "check.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int first, second;

static void *read_both(void *argument) {
    for (int i = 0; i < 10; i++) {
        CHECK(pthread_rwlock_rdlock(&lock) == 0);
        CHECK(first == second);
        CHECK(pthread_rwlock_unlock(&lock) == 0);
    }
    return argument;
}

static void *write_both(void *argument) {
    for (int i = 0; i < 10; i++) {
        CHECK(pthread_rwlock_wrlock(&lock) == 0);
        first++;
        second++;
        CHECK(pthread_rwlock_unlock(&lock) == 0);
    }
    return argument;
}

static void *try_both(void *argument) {
    int wanted = argument == NULL ? 0 : EBUSY;
    CHECK(pthread_rwlock_tryrdlock(&lock) == wanted);
    if (wanted == 0) CHECK(pthread_rwlock_unlock(&lock) == 0);
    CHECK(pthread_rwlock_trywrlock(&lock) == EBUSY);
    return NULL;
}

int main(void) {
    pthread_t ids[4];
    for (int i = 0; i < 4; i++) pthread_create(&ids[i], NULL, i % 2 ? write_both : read_both, NULL);
    for (int i = 0; i < 4; i++) pthread_join(ids[i], NULL);
    for (int writes = 0; writes < 2; writes++) {
        CHECK((writes ? pthread_rwlock_wrlock(&lock) : pthread_rwlock_rdlock(&lock)) == 0);
        pthread_create(&ids[0], NULL, try_both, writes ? &first : NULL);
        pthread_join(ids[0], NULL);
        CHECK(pthread_rwlock_trywrlock(&lock) == EBUSY);
        CHECK(pthread_rwlock_tryrdlock(&lock) == (writes ? EBUSY : 0));
        if (!writes) CHECK(pthread_rwlock_unlock(&lock) == 0);
        CHECK(!writes || pthread_rwlock_wrlock(&lock) == EDEADLK);
        CHECK(!writes || pthread_rwlock_rdlock(&lock) == EDEADLK);
        CHECK(pthread_rwlock_unlock(&lock) == 0);
    }
    CHECK(pthread_rwlock_destroy(&lock) == 0);
    printf("%d %d\n", first, second);
    return 0;
}
