/* SPDX-License-Identifier: Apache-2.0
 *
 * The queue lock of Mellor-Crummey and Scott: each waiting thread spins on a flag in a node of its own, which its
 * predecessor sets when it hands the lock over.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct waiter {
    struct waiter *_Atomic next;
    atomic_bool waits;
};

static struct waiter *_Atomic last; /* null: the lock is free */
static int counter;

static void lock(struct waiter *self) {
    atomic_store(&self->next, NULL);
    atomic_store(&self->waits, true);
    struct waiter *before = atomic_exchange(&last, self);
    if (before == NULL) return;
    atomic_store(&before->next, self);
    while (atomic_load(&self->waits)) continue;
}

static void unlock(struct waiter *self) {
    struct waiter *expected = self;
    if (atomic_compare_exchange_strong(&last, &expected, NULL)) return;
    struct waiter *next;
    while ((next = atomic_load(&self->next)) == NULL) continue; /* it is about to announce itself */
    atomic_store(&next->waits, false);
}

static void *add(void *unused) {
    (void)unused;
    struct waiter self;
    lock(&self);
    counter++;
    unlock(&self);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    assert(counter == 2);
    return 0;
}
