/* SPDX-License-Identifier: Apache-2.0
 *
 * Dining philosophers with ordered forks, each eats a fixed number of times.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum { SEATS = 4, MEALS = 6 };
static pthread_mutex_t forks[SEATS];
static int meals[SEATS], fork_uses[SEATS];

static void *dine(void *argument) {
    int seat = (int)(intptr_t)argument, left = seat, right = (seat + 1) % SEATS;
    int low = left < right ? left : right, high = left < right ? right : left;
    for (int i = 0; i < MEALS; i++) {
        pthread_mutex_lock(&forks[low]);
        pthread_mutex_lock(&forks[high]);
        fork_uses[low]++, fork_uses[high]++, meals[seat]++;
        pthread_mutex_unlock(&forks[high]);
        pthread_mutex_unlock(&forks[low]);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[SEATS];
    for (int i = 0; i < SEATS; i++) pthread_mutex_init(&forks[i], NULL);
    for (intptr_t i = 0; i < SEATS; i++) pthread_create(&threads[i], NULL, dine, (void *)i);
    for (int i = 0; i < SEATS; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < SEATS; i++) printf("%d %d\n", meals[i], fork_uses[i]);
    for (int i = 0; i < SEATS; i++) pthread_mutex_destroy(&forks[i]);
    return 0;
}
