// SPDX-License-Identifier: Apache-2.0
// A node is put into a queue under a lock, and then changed once more: the consumer may already be reading it.
#include <pthread.h>
#include <stdlib.h>

struct node {
    int key;
    int value;
    struct node *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *head;

static void push(struct node *node) {
    pthread_mutex_lock(&lock);
    node->next = head;
    head = node;
    pthread_mutex_unlock(&lock);
}

static struct node *pop(void) {
    pthread_mutex_lock(&lock);
    struct node *node = head;
    if (node != NULL) head = node->next;
    pthread_mutex_unlock(&lock);
    return node;
}

static void *consume(void *sum) {
    struct node *node = pop();
    if (node != NULL) *(int *)sum += node->value;
    return NULL;
}

int main(void) {
    int sum = 0;
    pthread_t consumer;
    pthread_create(&consumer, NULL, consume, &sum);
    struct node *node = malloc(sizeof *node);
    node->key = 1;
    push(node);
    node->value = 2; /* too late */
    pthread_join(consumer, NULL);
    free(node);
    return 0;
}
