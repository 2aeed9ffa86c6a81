/* SPDX-License-Identifier: Apache-2.0
 *
 * A sense-reversing barrier: the last thread to arrive flips a flag that the others wait for, and each round waits for
 * the opposite value, so it can be used again at once. After it, each thread sees that the other has come as far.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { THREADS = 2, ROUNDS = 2 };

static atomic_int missing = THREADS;
static atomic_bool flag;
static atomic_int progress[THREADS];

static void barrier(bool sense) {
    if (atomic_fetch_sub(&missing, 1) == 1) {
        atomic_store(&missing, THREADS);
        atomic_store(&flag, sense);
    } else {
        while (atomic_load(&flag) != sense) continue;
    }
}

static void *worker(void *argument) {
    int self = (int)(intptr_t)argument;
    bool sense = false;
    for (int round = 1; round <= ROUNDS; round++) {
        atomic_store(&progress[self], round);
        sense = !sense;
        barrier(sense);
        assert(atomic_load(&progress[1 - self]) >= round);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, worker, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    return 0;
}
