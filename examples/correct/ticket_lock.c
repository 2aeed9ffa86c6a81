/* SPDX-License-Identifier: Apache-2.0
 *
 * A ticket lock: a thread draws a number with an atomic increment and waits until it is called. Two threads add to a
 * counter that is protected by nothing else.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_uint next_ticket;
static atomic_uint now_serving;
static int counter;

static void lock(void) {
    unsigned ticket = atomic_fetch_add_explicit(&next_ticket, 1, memory_order_relaxed);
    while (atomic_load_explicit(&now_serving, memory_order_acquire) != ticket) continue;
}

static void unlock(void) {
    unsigned next = atomic_load_explicit(&now_serving, memory_order_relaxed) + 1;
    atomic_store_explicit(&now_serving, next, memory_order_release);
}

static void *add(void *unused) {
    (void)unused;
    for (int i = 0; i < 2; i++) {
        lock();
        counter++;
        unlock();
    }
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    assert(counter == 4);
    return 0;
}
