/* SPDX-License-Identifier: Apache-2.0
 *
 * A ring buffer for one producer and one consumer without locks. Each index is written by one side only; storing it
 * with release order, after the data, hands the place over. wrong/spsc_ring.c stores it too early.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { SIZE = 2, ITEMS = 3 };

static int ring[SIZE];
static atomic_uint written; /* how many items were put in; only the producer changes it */
static atomic_uint taken;   /* only the consumer changes it */

static bool put(int item) {
    unsigned at = atomic_load_explicit(&written, memory_order_relaxed);
    if (at - atomic_load_explicit(&taken, memory_order_acquire) == SIZE) return false;
    ring[at % SIZE] = item;
    atomic_store_explicit(&written, at + 1, memory_order_release);
    return true;
}

static bool take(int *item) {
    unsigned at = atomic_load_explicit(&taken, memory_order_relaxed);
    if (at == atomic_load_explicit(&written, memory_order_acquire)) return false;
    *item = ring[at % SIZE];
    atomic_store_explicit(&taken, at + 1, memory_order_release);
    return true;
}

static void *produce(void *unused) {
    (void)unused;
    for (int i = 1; i <= ITEMS; i++) {
        while (!put(i)) continue;
    }
    return NULL;
}

int main(void) {
    pthread_t producer;
    pthread_create(&producer, NULL, produce, NULL);
    for (int i = 1; i <= ITEMS; i++) {
        int item;
        while (!take(&item)) continue;
        assert(item == i);
    }
    pthread_join(producer, NULL);
    return 0;
}
