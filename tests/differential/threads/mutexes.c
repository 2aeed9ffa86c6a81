/* SPDX-License-Identifier: Apache-2.0
 *
 * Counters under a normal, a recursive and an error-checking mutex; trylock.
 */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

enum { THREADS = 3, ROUNDS = 30 };
static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive, checking;
static int plain_count, recursive_count, checking_count;

static void descend(int depth) {
    pthread_mutex_lock(&recursive);
    recursive_count++;
    if (depth > 0) descend(depth - 1);
    pthread_mutex_unlock(&recursive);
}

static void *work(void *unused) {
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&plain);
        int seen = plain_count;
        plain_count = seen + 1;
        pthread_mutex_unlock(&plain);
        descend(i % 3);
        while (pthread_mutex_trylock(&checking) != 0) sched_yield();
        checking_count += 2;
        pthread_mutex_unlock(&checking);
    }
    return unused;
}

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&recursive, &attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&checking, &attributes);
    pthread_mutexattr_destroy(&attributes);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    printf("%d %d %d\n", plain_count, recursive_count, checking_count);
    pthread_mutex_lock(&checking);
    printf("%d %d\n", pthread_mutex_lock(&checking) == EDEADLK, pthread_mutex_trylock(&checking) == EBUSY);
    printf("%d ", pthread_mutex_unlock(&checking));
    printf("%d\n", pthread_mutex_unlock(&checking) == EPERM);
    printf("%d %d %d\n", pthread_mutex_destroy(&plain), pthread_mutex_destroy(&recursive),
           pthread_mutex_destroy(&checking));
    return 0;
}
