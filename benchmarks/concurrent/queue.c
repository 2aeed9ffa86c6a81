/* SPDX-License-Identifier: Apache-2.0
 *
 * The lock-free queue of Michael and Scott with nodes from the heap that are not reused: PRODUCERS threads put in ITEMS
 * items each, and as many threads try
 * TAKES times to take one out.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#ifndef PRODUCERS
#define PRODUCERS 1
#endif
#ifndef ITEMS
#define ITEMS 1
#endif
#ifndef TAKES
#define TAKES ITEMS
#endif

struct node {
    struct node *_Atomic next;
    int value;
};

static struct node first_dummy;
static struct node *_Atomic head = &first_dummy;
static struct node *_Atomic tail = &first_dummy;
static atomic_int sum;

static void enqueue(int value) {
    struct node *node = malloc(sizeof *node);
    node->value = value;
    atomic_init(&node->next, NULL);
    for (;;) {
        struct node *last = atomic_load(&tail);
        struct node *next = NULL;
        if (atomic_compare_exchange_strong(&last->next, &next, node)) {
            atomic_compare_exchange_strong(&tail, &last, node);
            return;
        }
        atomic_compare_exchange_strong(&tail, &last, next);
    }
}

/* 0: the queue is empty. */
static int dequeue(void) {
    for (;;) {
        struct node *first = atomic_load(&head);
        struct node *last = atomic_load(&tail);
        struct node *next = atomic_load(&first->next);
        if (next == NULL) return 0;
        if (first == last)
            atomic_compare_exchange_strong(&tail, &last, next);
        else if (atomic_compare_exchange_strong(&head, &first, next))
            return next->value;
    }
}

static void *produce(void *unused) {
    for (int i = 1; i <= ITEMS; i++) enqueue(i);
    return unused;
}

static void *consume(void *unused) {
    for (int i = 1; i <= TAKES; i++) atomic_fetch_add(&sum, dequeue());
    return unused;
}

int main(void) {
    pthread_t threads[2 * PRODUCERS];
    for (int i = 0; i < 2 * PRODUCERS; i++) pthread_create(&threads[i], NULL, i % 2 == 0 ? produce : consume, NULL);
    for (int i = 0; i < 2 * PRODUCERS; i++) pthread_join(threads[i], NULL);
    int left = 0;
    for (int value = dequeue(); value != 0; value = dequeue()) left += value;
    assert(atomic_load(&sum) + left == PRODUCERS * ITEMS * (ITEMS + 1) / 2);
    return 0;
}
