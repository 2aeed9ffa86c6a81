/* SPDX-License-Identifier: Apache-2.0
 *
 * An object with a reference count: two threads take a reference, use the object and drop it; main drops the last one.
 * Counting up and down is atomic, so the object is freed once, and not before all are done with it.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    atomic_int references;
    int value;
};

static void take(struct object *object) { atomic_fetch_add(&object->references, 1); }

static void drop(struct object *object) {
    if (atomic_fetch_sub(&object->references, 1) == 1) free(object);
}

static void *use(void *argument) {
    struct object *object = argument;
    take(object);
    assert(object->value == 42);
    drop(object);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    struct object *object = malloc(sizeof *object);
    if (object == NULL) abort();
    atomic_init(&object->references, 1);
    object->value = 42;
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, use, object);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    assert(object->value == 42);
    drop(object);
    return 0;
}
