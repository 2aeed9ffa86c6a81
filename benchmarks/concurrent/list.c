/* SPDX-License-Identifier: Apache-2.0
 *
 * A linked list on the heap without locks: THREADS threads insert INSERTS nodes each at its head.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#ifndef THREADS
#define THREADS 2
#endif
#ifndef INSERTS
#define INSERTS 1
#endif

struct node {
    struct node *next;
    int value;
};

static struct node *_Atomic head;

static void *insert_all(void *argument) {
    for (int i = 0; i < INSERTS; i++) {
        struct node *node = malloc(sizeof *node);
        node->value = (int)(intptr_t)argument + i;
        node->next = atomic_load(&head);
        while (!atomic_compare_exchange_strong(&head, &node->next, node)) continue;
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    int sum = 0;
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, insert_all, (void *)(intptr_t)(i * INSERTS));
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (struct node *node = atomic_load(&head); node != NULL; node = node->next) sum += node->value;
    assert(sum == THREADS * INSERTS * (THREADS * INSERTS - 1) / 2);
    return 0;
}
