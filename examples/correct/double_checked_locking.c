/* SPDX-License-Identifier: Apache-2.0
 *
 * Double-checked locking done right: the object is complete before an atomic store with release order publishes it, and
 * the check outside of the lock is an atomic load with acquire order.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct config {
    int limit;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct config *_Atomic shared;

static struct config *new_config(void) {
    struct config *fresh = malloc(sizeof *fresh);
    if (fresh == NULL) abort();
    fresh->limit = 42;
    return fresh;
}

static const struct config *get_config(void) {
    struct config *found = atomic_load_explicit(&shared, memory_order_acquire);
    if (found != NULL) return found;
    pthread_mutex_lock(&lock);
    found = atomic_load_explicit(&shared, memory_order_relaxed);
    if (found == NULL) {
        found = new_config();
        atomic_store_explicit(&shared, found, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static void *use(void *unused) {
    (void)unused;
    assert(get_config()->limit == 42);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, use, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    free(atomic_load(&shared));
    return 0;
}
