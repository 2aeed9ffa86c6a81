/* SPDX-License-Identifier: Apache-2.0
 *
 * A sorted list with a lock in every node, taken hand over hand: THREADS threads insert INSERTS keys each, which lie
 * between those of the others.
 */
#include <assert.h>
#include <pthread.h>
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
    pthread_mutex_t lock;
    int key;
    struct node *next;
};

static struct node head = {PTHREAD_MUTEX_INITIALIZER, -1, NULL};

static void insert(int key) {
    struct node *node = malloc(sizeof *node);
    pthread_mutex_init(&node->lock, NULL);
    node->key = key;
    struct node *before = &head;
    pthread_mutex_lock(&before->lock);
    while (before->next != NULL && before->next->key < key) {
        struct node *next = before->next;
        pthread_mutex_lock(&next->lock);
        pthread_mutex_unlock(&before->lock);
        before = next;
    }
    node->next = before->next;
    before->next = node;
    pthread_mutex_unlock(&before->lock);
}

static void *insert_all(void *argument) {
    for (int i = 0; i < INSERTS; i++) insert(i * THREADS + (int)(intptr_t)argument);
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    int expected = 0;
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, insert_all, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (struct node *node = head.next; node != NULL; node = node->next) assert(node->key == expected++);
    assert(expected == THREADS * INSERTS);
    return 0;
}
