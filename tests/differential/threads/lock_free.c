/* SPDX-License-Identifier: Apache-2.0
 *
 * Lock-free code: a stack, a counter, a spinlock from an atomic flag, message passing with release and acquire.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 3, ROUNDS = 20 };
struct node {
    struct node *next;
    int value;
};
static _Atomic(struct node *) top;
static atomic_int counter, maximum;
static atomic_flag spin = ATOMIC_FLAG_INIT;
static int guarded, message;
static atomic_bool ready;

static void push(int value) {
    struct node *node = malloc(sizeof *node);
    node->value = value;
    node->next = atomic_load(&top);
    while (!atomic_compare_exchange_weak(&top, &node->next, node)) continue;
}

static void raise_maximum(int value) {
    int seen = atomic_load(&maximum);
    while (seen < value && !atomic_compare_exchange_weak(&maximum, &seen, value)) continue;
}

static void *work(void *argument) {
    int id = *(int *)argument;
    for (int i = 0; i < ROUNDS; i++) {
        push(id * ROUNDS + i);
        atomic_fetch_add_explicit(&counter, i, memory_order_relaxed);
        raise_maximum(id * 100 + i);
        while (atomic_flag_test_and_set_explicit(&spin, memory_order_acquire)) sched_yield();
        guarded++;
        atomic_flag_clear_explicit(&spin, memory_order_release);
    }
    return NULL;
}

static void *receive(void *result) {
    while (!atomic_load_explicit(&ready, memory_order_acquire)) sched_yield();
    *(int *)result = message;
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS], receiver;
    int ids[THREADS], received = 0, sum = 0, count = 0;
    pthread_create(&receiver, NULL, receive, &received);
    for (int i = 0; i < THREADS; i++) ids[i] = i, pthread_create(&threads[i], NULL, work, &ids[i]);
    message = 4242;
    atomic_store_explicit(&ready, 1, memory_order_release);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    pthread_join(receiver, NULL);
    for (struct node *node = top; node;) {
        struct node *next = node->next;
        sum += node->value, count++;
        free(node);
        node = next;
    }
    printf("%d %d %d %d %d %d\n", sum, count, (int)counter, (int)maximum, guarded, received);
    return 0;
}
