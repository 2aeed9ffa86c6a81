/* SPDX-License-Identifier: Apache-2.0
 *
 * A hash map with open addressing and without locks: THREADS threads insert INSERTS keys each. Neighbours insert some
 * of the same keys, and all keys lie so near each other that the threads meet on the way to a free place.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#ifndef THREADS
#define THREADS 2
#endif
#ifndef INSERTS
#define INSERTS 1
#endif
#define PLACES (2 * THREADS * INSERTS)

static struct {
    atomic_int key; /* 0: free */
    atomic_int count;
} places[PLACES];

static unsigned hash(int key) { return (unsigned)key * 3 / 2; }

static void insert(int key) {
    for (unsigned at = hash(key) % PLACES;; at = (at + 1) % PLACES) {
        int found = 0;
        if (atomic_compare_exchange_strong(&places[at].key, &found, key) || found == key) {
            atomic_fetch_add(&places[at].count, 1);
            return;
        }
    }
}

static void *insert_all(void *argument) {
    int first = 1 + (int)(intptr_t)argument * INSERTS / 2;
    for (int i = 0; i < INSERTS; i++) insert(first + i);
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    int sum = 0;
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, insert_all, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < PLACES; i++) sum += atomic_load(&places[i].count);
    assert(sum == THREADS * INSERTS);
    return 0;
}
