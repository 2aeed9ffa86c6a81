/* SPDX-License-Identifier: Apache-2.0
 *
 * A pipeline of stages with bounded queues on condition variables; order is kept.
 */
#include <pthread.h>
#include <stdio.h>

enum { CAPACITY = 3, STAGES = 3, ITEMS = 25, END = -1 };

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t not_empty, not_full;
    int items[CAPACITY], first, count;
};

static struct queue queues[STAGES + 1];

static void put(struct queue *q, int item) {
    pthread_mutex_lock(&q->lock);
    while (q->count == CAPACITY) pthread_cond_wait(&q->not_full, &q->lock);
    q->items[(q->first + q->count++) % CAPACITY] = item;
    pthread_cond_signal(&q->not_empty);
    pthread_mutex_unlock(&q->lock);
}

static int take(struct queue *q) {
    pthread_mutex_lock(&q->lock);
    while (q->count == 0) pthread_cond_wait(&q->not_empty, &q->lock);
    int item = q->items[q->first];
    q->first = (q->first + 1) % CAPACITY;
    q->count--;
    pthread_cond_signal(&q->not_full);
    pthread_mutex_unlock(&q->lock);
    return item;
}

static void *stage(void *argument) {
    struct queue *in = argument, *out = in + 1;
    int item;
    while ((item = take(in)) != END) put(out, item * 2 + (int)(in - queues));
    put(out, END);
    return NULL;
}

static void *source(void *argument) {
    for (int i = 0; i < ITEMS; i++) put(argument, i);
    put(argument, END);
    return NULL;
}

int main(void) {
    pthread_t threads[STAGES + 1];
    for (int i = 0; i <= STAGES; i++) {
        pthread_mutex_init(&queues[i].lock, NULL);
        pthread_cond_init(&queues[i].not_empty, NULL);
        pthread_cond_init(&queues[i].not_full, NULL);
    }
    for (int i = 0; i < STAGES; i++) pthread_create(&threads[i], NULL, stage, &queues[i]);
    pthread_create(&threads[STAGES], NULL, source, &queues[0]);
    int item;
    while ((item = take(&queues[STAGES])) != END) printf("%d ", item);
    printf("\n");
    for (int i = 0; i <= STAGES; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i <= STAGES; i++) {
        printf("%d%d%d", pthread_cond_destroy(&queues[i].not_empty), pthread_cond_destroy(&queues[i].not_full),
               pthread_mutex_destroy(&queues[i].lock));
    }
    printf("\n");
    return 0;
}
