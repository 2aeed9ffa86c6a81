/* SPDX-License-Identifier: Apache-2.0
 *
 * Peterson's lock for THREADS threads, as levels through which one thread less gets each time; each thread takes it
 * ROUNDS times.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#ifndef THREADS
#define THREADS 2
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

static atomic_int level[THREADS];
static atomic_int last[THREADS]; /* who came last to each level */
static atomic_int inside;

static int others_are_above(int self, int at) {
    for (int other = 0; other < THREADS; other++) {
        if (other != self && atomic_load(&level[other]) >= at) return 1;
    }
    return 0;
}

static void lock(int self) {
    for (int at = 1; at < THREADS; at++) {
        atomic_store(&level[self], at);
        atomic_store(&last[at], self);
        while (atomic_load(&last[at]) == self && others_are_above(self, at)) continue;
    }
}

static void *work(void *argument) {
    int self = (int)(intptr_t)argument;
    for (int round = 0; round < ROUNDS; round++) {
        lock(self);
        assert(atomic_fetch_add(&inside, 1) == 0);
        atomic_fetch_sub(&inside, 1);
        atomic_store(&level[self], 0);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    return 0;
}
