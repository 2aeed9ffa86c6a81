/* SPDX-License-Identifier: Apache-2.0
 *
 * Three dining philosophers who all take the fork with the lower number first, so that they cannot wait for each other
 * in a circle. wrong/philosophers.c takes the left one first.
 */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

enum { PHILOSOPHERS = 3 };

static pthread_mutex_t forks[PHILOSOPHERS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                              PTHREAD_MUTEX_INITIALIZER};
static int meals; /* with two forks of three in use, one philosopher eats at a time */

static void *dine(void *argument) {
    int self = (int)(intptr_t)argument;
    int next = (self + 1) % PHILOSOPHERS;
    pthread_mutex_t *first = &forks[self < next ? self : next];
    pthread_mutex_t *second = &forks[self < next ? next : self];
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    meals++;
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
    return NULL;
}

int main(void) {
    pthread_t guests[PHILOSOPHERS - 1];
    for (int i = 0; i < PHILOSOPHERS - 1; i++) pthread_create(&guests[i], NULL, dine, (void *)(intptr_t)i);
    dine((void *)(intptr_t)(PHILOSOPHERS - 1)); /* the host */
    for (int i = 0; i < PHILOSOPHERS - 1; i++) pthread_join(guests[i], NULL);
    assert(meals == PHILOSOPHERS);
    return 0;
}
