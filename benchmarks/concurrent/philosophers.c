/* SPDX-License-Identifier: Apache-2.0
 *
 * THREADS dining philosophers who all take the fork with the lower number first; each eats ROUNDS times.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#ifndef THREADS
#define THREADS 3
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

static pthread_mutex_t forks[THREADS];
static int users[THREADS]; /* of each fork */

static void *dine(void *argument) {
    int self = (int)(intptr_t)argument, next = (self + 1) % THREADS;
    int first = self < next ? self : next, second = self < next ? next : self;
    for (int round = 0; round < ROUNDS; round++) {
        pthread_mutex_lock(&forks[first]);
        pthread_mutex_lock(&forks[second]);
        assert(++users[first] == 1 && ++users[second] == 1);
        users[first]--;
        users[second]--;
        pthread_mutex_unlock(&forks[second]);
        pthread_mutex_unlock(&forks[first]);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) pthread_mutex_init(&forks[i], NULL);
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, dine, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    return 0;
}
