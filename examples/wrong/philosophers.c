/* SPDX-License-Identifier: Apache-2.0
 *
 * Three dining philosophers. Each takes the fork on the left, then the one on the right. When all three hold their left
 * fork, no one ever gets a second one: a deadlock. correct/philosophers.c takes the forks in one order.
 */
#include <pthread.h>
#include <stdint.h>

enum { PHILOSOPHERS = 3 };

static pthread_mutex_t forks[PHILOSOPHERS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                              PTHREAD_MUTEX_INITIALIZER};

static void *dine(void *argument) {
    int self = (int)(intptr_t)argument;
    pthread_mutex_t *left = &forks[self];
    pthread_mutex_t *right = &forks[(self + 1) % PHILOSOPHERS];
    pthread_mutex_lock(left);
    pthread_mutex_lock(right);
    /* eats */
    pthread_mutex_unlock(right);
    pthread_mutex_unlock(left);
    return NULL;
}

int main(void) {
    pthread_t guests[PHILOSOPHERS];
    for (int i = 0; i < PHILOSOPHERS; i++) pthread_create(&guests[i], NULL, dine, (void *)(intptr_t)i);
    for (int i = 0; i < PHILOSOPHERS; i++) pthread_join(guests[i], NULL);
    return 0;
}
