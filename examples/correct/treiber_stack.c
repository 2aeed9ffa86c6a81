/* SPDX-License-Identifier: Apache-2.0
 *
 * Treiber's lock-free stack. Each thread pushes a node of its own and pops one, possibly the other's. No node is pushed
 * a second time, so the compare-and-swap cannot be fooled: every node is popped exactly once. With reuse it would not
 * be right, see wrong/treiber_aba.c.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    struct node *_Atomic next;
    atomic_int popped;
};

static struct node *_Atomic top;
static struct node nodes[2];

static void push(struct node *node) {
    struct node *seen = atomic_load(&top);
    do {
        atomic_store(&node->next, seen);
    } while (!atomic_compare_exchange_weak(&top, &seen, node));
}

static struct node *pop(void) {
    struct node *seen = atomic_load(&top);
    while (seen != NULL && !atomic_compare_exchange_weak(&top, &seen, atomic_load(&seen->next))) continue;
    return seen;
}

static void *push_and_pop(void *own) {
    push(own);
    struct node *node = pop();
    assert(node != NULL);
    assert(atomic_fetch_add(&node->popped, 1) == 0);
    return NULL;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, push_and_pop, &nodes[0]);
    push_and_pop(&nodes[1]);
    pthread_join(other, NULL);
    assert(pop() == NULL);
    return 0;
}
