/* SPDX-License-Identifier: Apache-2.0
 *
 * A pool of buffers kept in Treiber's stack, with the ABA problem. One thread is about to replace the top A by its
 * successor B; main takes A and B and gives A back. The top is A again, so the compare-and-swap succeeds, and B, which
 * is still in use, is on the stack: main gets it a second time.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct buffer {
    struct buffer *_Atomic next;
    atomic_int users;
};

static struct buffer buffers[2] = {{&buffers[1], 0}, {NULL, 0}};
static struct buffer *_Atomic top = &buffers[0];

static struct buffer *take(void) {
    struct buffer *seen = atomic_load(&top);
    while (seen != NULL && !atomic_compare_exchange_weak(&top, &seen, atomic_load(&seen->next))) continue;
    if (seen != NULL) assert(atomic_fetch_add(&seen->users, 1) == 0);
    return seen;
}

static void give(struct buffer *buffer) {
    struct buffer *seen = atomic_load(&top);
    atomic_fetch_sub(&buffer->users, 1);
    do {
        atomic_store(&buffer->next, seen);
    } while (!atomic_compare_exchange_weak(&top, &seen, buffer));
}

static void *take_one(void *unused) {
    (void)unused;
    take();
    return NULL;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, take_one, NULL);
    struct buffer *first = take();
    take();
    if (first != NULL) give(first);
    pthread_join(other, NULL);
    take();
    return 0;
}
