/* SPDX-License-Identifier: Apache-2.0
 *
 * Peterson's mutual exclusion for two threads, with C11 atomics: the compiler may neither drop nor reorder an access,
 * so it holds at -O2 as well. wrong/peterson_wikipedia.c shows what becomes of it with plain variables.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

static atomic_bool wants[2];
static atomic_int turn;
static volatile int in_critical;

static void enter(int self) {
    int other = 1 - self;
    atomic_store(&wants[self], true);
    atomic_store(&turn, other);
    while (atomic_load(&wants[other]) && atomic_load(&turn) == other) {
        /* busy wait */
    }
}

static void leave(int self) { atomic_store(&wants[self], false); }

static void *worker(void *argument) {
    int self = (int)(intptr_t)argument;
    for (int round = 0; round < 2; round++) {
        enter(self);
        in_critical++;
        assert(in_critical == 1);
        in_critical--;
        leave(self);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, worker, (void *)(intptr_t)i);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 0;
}
