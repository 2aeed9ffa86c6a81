/* SPDX-License-Identifier: Apache-2.0
 *
 * A ring buffer of SIZE places, 2 or more, without locks, for several producers and consumers: each place carries the
 * number of the turn that it is ready for (with one place, full and free would be the same number). PRODUCERS threads
 * put in ITEMS items each, and as many consumers take them out.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef SIZE
#define SIZE 2
#endif
#ifndef PRODUCERS
#define PRODUCERS 1
#endif
#ifndef ITEMS
#define ITEMS 2
#endif

static struct {
    atomic_uint turn;
    int item;
} ring[SIZE];
static atomic_uint written, taken;
static atomic_int sum;

static void put(int item) {
    unsigned at = atomic_load(&written);
    for (;;) {
        int ahead = (int)(atomic_load(&ring[at % SIZE].turn) - at);
        if (ahead == 0 && atomic_compare_exchange_strong(&written, &at, at + 1)) break;
        if (ahead != 0) at = atomic_load(&written);
    }
    ring[at % SIZE].item = item;
    atomic_store(&ring[at % SIZE].turn, at + 1);
}

static int take(void) {
    unsigned at = atomic_load(&taken);
    for (;;) {
        int ahead = (int)(atomic_load(&ring[at % SIZE].turn) - (at + 1));
        if (ahead == 0 && atomic_compare_exchange_strong(&taken, &at, at + 1)) break;
        if (ahead != 0) at = atomic_load(&taken);
    }
    int item = ring[at % SIZE].item;
    atomic_store(&ring[at % SIZE].turn, at + SIZE);
    return item;
}

static void *produce(void *unused) {
    for (int i = 1; i <= ITEMS; i++) put(i);
    return unused;
}

static void *consume(void *unused) {
    for (int i = 1; i <= ITEMS; i++) atomic_fetch_add(&sum, take());
    return unused;
}

int main(void) {
    pthread_t threads[2 * PRODUCERS];
    for (unsigned i = 0; i < SIZE; i++) atomic_init(&ring[i].turn, i);
    for (int i = 0; i < 2 * PRODUCERS; i++) pthread_create(&threads[i], NULL, i % 2 == 0 ? produce : consume, NULL);
    for (int i = 0; i < 2 * PRODUCERS; i++) pthread_join(threads[i], NULL);
    assert(atomic_load(&sum) == PRODUCERS * ITEMS * (ITEMS + 1) / 2);
    return 0;
}
