/* SPDX-License-Identifier: Apache-2.0
 *
 * A ring buffer for one producer and one consumer, like correct/spsc_ring.c, but the producer announces an item before
 * it has written it: the consumer takes what was in the place before.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { SIZE = 2, ITEMS = 3 };

static volatile int ring[SIZE];
static atomic_uint written; /* how many items were put in; only the producer changes it */
static atomic_uint taken;   /* only the consumer changes it */

static bool put(int item) {
    unsigned at = atomic_load(&written);
    if (at - atomic_load(&taken) == SIZE) return false;
    atomic_store(&written, at + 1);
    ring[at % SIZE] = item;
    return true;
}

static bool take(int *item) {
    unsigned at = atomic_load(&taken);
    if (at == atomic_load(&written)) return false;
    *item = ring[at % SIZE];
    atomic_store(&taken, at + 1);
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
