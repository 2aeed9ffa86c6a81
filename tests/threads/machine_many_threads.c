// expect: exit 0
// options: --max-threads 64
// SPDX-License-Identifier: Apache-2.0
// As many threads as the machine can have: all wait on the same objects at once.
#include "check.h"

enum { THREADS = 63 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static int waiting, woken;

static void *work(void *argument) {
    CHECK(pthread_rwlock_rdlock(&rwlock) == 0 && pthread_rwlock_rdlock(&rwlock) == 0);
    pthread_barrier_wait(&barrier);
    CHECK(pthread_rwlock_trywrlock(&rwlock) == EBUSY);
    pthread_barrier_wait(&barrier);
    CHECK(pthread_rwlock_unlock(&rwlock) == 0 && pthread_rwlock_unlock(&rwlock) == 0);
    pthread_mutex_lock(&mutex);
    if (++waiting == THREADS)
        for (int i = 0; i < THREADS; i++) pthread_cond_signal(&condition);
    else
        pthread_cond_wait(&condition, &mutex);
    woken++;
    pthread_mutex_unlock(&mutex);
    return argument;
}

int main(void) {
    pthread_t ids[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) CHECK(pthread_create(&ids[i], NULL, work, NULL) == 0);
    for (int i = 0; i < THREADS; i++) CHECK(pthread_join(ids[i], NULL) == 0);
    CHECK(woken == THREADS);
    CHECK(pthread_rwlock_wrlock(&rwlock) == 0);
    return 0;
}
