/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads take two locks in opposite order. Each gives back its first lock when it does not get the second: there
 * is no deadlock, but both may be polite for ever.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;

static void work(pthread_mutex_t *first, pthread_mutex_t *second) {
    for (;;) {
        pthread_mutex_lock(first);
        if (pthread_mutex_trylock(second) == 0) break;
        pthread_mutex_unlock(first);
    }
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}

static void *other(void *unused) {
    work(&right, &left);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    work(&left, &right);
    pthread_join(thread, NULL);
    return 0;
}
