/* SPDX-License-Identifier: Apache-2.0
 *
 * A bounded buffer of one place with condition variables: one producer, two consumers. Each waits in a while loop and
 * so looks again after waking up. wrong/bounded_buffer_if.c looks only once.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
static int slot;
static int count;
static int sum;

static void put(int item) {
    pthread_mutex_lock(&lock);
    while (count == 1) pthread_cond_wait(&not_full, &lock);
    slot = item;
    count++;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
}

static void *consume(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    while (count == 0) pthread_cond_wait(&not_empty, &lock);
    assert(count == 1);
    count--;
    sum += slot;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t consumers[2];
    for (int i = 0; i < 2; i++) pthread_create(&consumers[i], NULL, consume, NULL);
    put(1);
    put(2);
    for (int i = 0; i < 2; i++) pthread_join(consumers[i], NULL);
    assert(sum == 1 + 2);
    return 0;
}
