/* SPDX-License-Identifier: Apache-2.0
 *
 * Producer and consumer with a semaphore that counts the items and a mutex for the list. The consumer takes the mutex
 * first and waits for an item while it holds it, so that the producer can never put one there: a deadlock.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t items;
static int stock;

static void *consume(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    sem_wait(&items);
    stock--;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *produce(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    stock++;
    pthread_mutex_unlock(&lock);
    sem_post(&items);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    sem_init(&items, 0, 0);
    pthread_create(&threads[0], NULL, consume, NULL);
    pthread_create(&threads[1], NULL, produce, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    sem_destroy(&items);
    return stock;
}
