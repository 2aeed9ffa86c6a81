/* SPDX-License-Identifier: Apache-2.0
 *
 * A barrier between the steps of a relaxation; exactly one thread of each round is the serial one.
 */
#define _XOPEN_SOURCE 700
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum { THREADS = 3, CELLS = 12, ROUNDS = 6 };
static pthread_barrier_t barrier;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int cells[2][CELLS + 2], serial;

static void wait_for_all(void) {
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
        pthread_mutex_lock(&lock);
        serial++;
        pthread_mutex_unlock(&lock);
    }
}

static void *relax(void *argument) {
    int part = (int)(intptr_t)argument, size = CELLS / THREADS;
    for (int round = 0; round < ROUNDS; round++) {
        const int *from = cells[round % 2];
        int *to = cells[1 - round % 2];
        for (int i = part * size + 1; i <= (part + 1) * size; i++)
            to[i] = (from[i - 1] + 2 * from[i] + from[i + 1]) / 4;
        wait_for_all();
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < CELLS + 2; i++) cells[0][i] = cells[1][i] = i == 0 || i == CELLS + 1 ? 0 : (i * 5000) % 7919;
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (intptr_t i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, relax, (void *)i);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (int i = 1; i <= CELLS; i++) printf("%d ", cells[ROUNDS % 2][i]);
    printf("%d %d\n", serial, pthread_barrier_destroy(&barrier));
    return 0;
}
