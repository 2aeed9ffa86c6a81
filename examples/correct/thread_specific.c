/* SPDX-License-Identifier: Apache-2.0
 *
 * Thread-specific data: each thread keeps a count of its own under one key. The key's destructor adds it to the total
 * and frees it when the thread ends.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_key_t key;
static atomic_int total;

static void finish(void *count) {
    atomic_fetch_add(&total, *(int *)count);
    free(count);
}

static void count_one(void) {
    int *count = pthread_getspecific(key);
    if (count == NULL) {
        count = calloc(1, sizeof *count);
        if (count == NULL) abort();
        pthread_setspecific(key, count);
    }
    ++*count;
}

static void *worker(void *unused) {
    (void)unused;
    count_one();
    count_one();
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_key_create(&key, finish);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    pthread_key_delete(key);
    assert(atomic_load(&total) == 4);
    return 0;
}
