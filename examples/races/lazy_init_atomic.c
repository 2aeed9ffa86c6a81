// SPDX-License-Identifier: Apache-2.0
// Double-checked locking with an atomic pointer: the first look is synchronised with the write under the lock.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct config {
    int size;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct config *_Atomic shared;

static struct config *get(void) {
    if (shared == NULL) {
        pthread_mutex_lock(&lock);
        if (shared == NULL) {
            struct config *made = malloc(sizeof *made);
            made->size = 8;
            shared = made;
        }
        pthread_mutex_unlock(&lock);
    }
    return shared;
}

static void *use(void *unused) {
    assert(get()->size == 8);
    return unused;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, use, NULL);
    use(NULL);
    pthread_join(other, NULL);
    free(shared);
    return 0;
}
