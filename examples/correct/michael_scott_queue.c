/* SPDX-License-Identifier: Apache-2.0
 *
 * The lock-free queue of Michael and Scott: a list that begins with a dummy node, whose tail pointer may lag one node
 * behind and is helped forward by whoever notices. Nodes are not reused. A thread puts in 1 and 2, main puts in 3 and
 * takes out: nothing is lost, and 1 comes out before 2.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    struct node *_Atomic next;
    int value;
};

static struct node nodes[4]; /* nodes[0] is the first dummy */
static struct node *_Atomic head = &nodes[0];
static struct node *_Atomic tail = &nodes[0];

static void enqueue(struct node *node, int value) {
    node->value = value;
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
    (void)unused;
    enqueue(&nodes[1], 1);
    enqueue(&nodes[2], 2);
    return NULL;
}

int main(void) {
    pthread_t producer;
    pthread_create(&producer, NULL, produce, NULL);
    enqueue(&nodes[3], 3);
    int order = dequeue();
    pthread_join(producer, NULL);
    order = 10 * order + dequeue();
    order = 10 * order + dequeue();
    assert(order == 123 || order == 132 || order == 312);
    assert(dequeue() == 0);
    return 0;
}
