// expect: exit 0
// SPDX-License-Identifier: Apache-2.0
// Whoever gives back all that was taken leaves every object byte for byte as it was.
#include "check.h"
#include <semaphore.h>
#include <string.h>

static struct {
    pthread_mutex_t normal, recursive;
    pthread_cond_t condition;
    pthread_rwlock_t rwlock, preferring;
    pthread_barrier_t barrier;
    pthread_spinlock_t spinlock;
    sem_t semaphore;
} objects, before;
static int turns;

static void use_locks(void) {
    pthread_mutex_lock(&objects.recursive);
    pthread_mutex_lock(&objects.recursive);
    pthread_mutex_unlock(&objects.recursive);
    pthread_mutex_unlock(&objects.recursive);
    pthread_rwlock_rdlock(&objects.rwlock);
    pthread_rwlock_rdlock(&objects.rwlock);
    pthread_rwlock_unlock(&objects.rwlock);
    pthread_rwlock_unlock(&objects.rwlock);
    pthread_rwlock_wrlock(&objects.preferring);
    pthread_rwlock_unlock(&objects.preferring);
    pthread_spin_lock(&objects.spinlock);
    pthread_spin_unlock(&objects.spinlock);
    sem_wait(&objects.semaphore);
    sem_post(&objects.semaphore);
}

static void *work(void *argument) {
    for (int i = 0; i < 3; i++) {
        use_locks();
        pthread_mutex_lock(&objects.normal);
        pthread_cond_timedwait(&objects.condition, &objects.normal, &PAST);
        if (++turns % 3 == 0)
            pthread_cond_broadcast(&objects.condition);
        else
            pthread_cond_wait(&objects.condition, &objects.normal);
        pthread_mutex_unlock(&objects.normal);
        pthread_barrier_wait(&objects.barrier);
    }
    return argument;
}

int main(void) {
    pthread_t ids[3];
    pthread_mutex_init(&objects.normal, NULL);
    objects.recursive = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    pthread_rwlock_init(&objects.rwlock, NULL);
    objects.preferring = (pthread_rwlock_t)PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
    pthread_barrier_init(&objects.barrier, NULL, 3);
    pthread_spin_init(&objects.spinlock, 0);
    sem_init(&objects.semaphore, 0, 1);
    memcpy(&before, &objects, sizeof objects);
    for (int i = 0; i < 3; i++) pthread_create(&ids[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++) pthread_join(ids[i], NULL);
    CHECK(memcmp(&before, &objects, sizeof objects) == 0);
    return 0;
}
