/* SPDX-License-Identifier: Apache-2.0
 *
 * Double-checked locking that stores the pointer first and fills the object afterwards. A thread that does not need the
 * lock because the pointer is there already reads a limit that nobody has written yet.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct config {
    int limit;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct config *shared;

static const struct config *get_config(void) {
    if (shared == NULL) {
        pthread_mutex_lock(&lock);
        if (shared == NULL) {
            shared = malloc(sizeof *shared);
            if (shared == NULL) abort();
            shared->limit = 42;
        }
        pthread_mutex_unlock(&lock);
    }
    return shared;
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
    free(shared);
    return 0;
}
