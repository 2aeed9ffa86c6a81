/* SPDX-License-Identifier: Apache-2.0
 *
 * A home-made barrier that works once. The last thread to arrive sets the counter back and wakes the other; if it comes
 * to the second barrier before that one has looked at the counter, the counter is no longer zero, and both sleep for
 * ever. correct/barrier_sense.c can be used again.
 */
#include <pthread.h>
#include <stddef.h>

enum { THREADS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_here = PTHREAD_COND_INITIALIZER;
static int arrived;

static void barrier(void) {
    pthread_mutex_lock(&lock);
    if (++arrived == THREADS) {
        arrived = 0;
        pthread_cond_broadcast(&all_here);
    } else {
        while (arrived != 0) pthread_cond_wait(&all_here, &lock);
    }
    pthread_mutex_unlock(&lock);
}

static void *worker(void *unused) {
    (void)unused;
    barrier();
    barrier();
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    return 0;
}
