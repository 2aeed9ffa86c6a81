/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads append to an array of fixed size and check for room first, without a lock. With one place left, both find
 * room; the second one writes behind the end.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum { CAPACITY = 3 };

static struct {
    atomic_int length;
    int items[CAPACITY];
} vector;

static void append(int item) {
    if (vector.length < CAPACITY) {
        int at = vector.length++; /* atomic, and yet too late */
        vector.items[at] = item;
    }
}

static void *worker(void *item) {
    append((int)(intptr_t)item);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    append(1);
    append(2);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, worker, (void *)(intptr_t)(3 + i));
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 0;
}
