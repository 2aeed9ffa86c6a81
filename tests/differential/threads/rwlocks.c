/* SPDX-License-Identifier: Apache-2.0
 *
 * A read-write lock around a pair that must stay consistent; try functions.
 */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int first, second;

static void *read_pair(void *result) {
    int *torn = result;
    for (int i = 0; i < 20; i++) {
        pthread_rwlock_rdlock(&lock);
        if (first * 2 != second) ++*torn;
        pthread_rwlock_unlock(&lock);
    }
    return NULL;
}

static void *write_pair(void *unused) {
    for (int i = 0; i < 15; i++) {
        pthread_rwlock_wrlock(&lock);
        first++;
        second += 2;
        pthread_rwlock_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t readers[2], writers[2];
    int torn[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        pthread_create(&readers[i], NULL, read_pair, &torn[i]);
        pthread_create(&writers[i], NULL, write_pair, NULL);
    }
    for (int i = 0; i < 2; i++) pthread_join(readers[i], NULL), pthread_join(writers[i], NULL);
    printf("%d %d %d %d\n", first, second, torn[0], torn[1]);
    printf("%d ", pthread_rwlock_tryrdlock(&lock));
    printf("%d ", pthread_rwlock_tryrdlock(&lock));
    printf("%d ", pthread_rwlock_trywrlock(&lock) == EBUSY);
    pthread_rwlock_unlock(&lock), pthread_rwlock_unlock(&lock);
    printf("%d ", pthread_rwlock_trywrlock(&lock));
    printf("%d ", pthread_rwlock_tryrdlock(&lock) == EBUSY);
    pthread_rwlock_unlock(&lock);
    printf("%d\n", pthread_rwlock_destroy(&lock));
    return 0;
}
