/* SPDX-License-Identifier: Apache-2.0
 *
 * A bounded buffer in which producer and consumers wait for one and the same condition variable. A consumer's signal,
 * meant for the producer, may wake the other consumer, who finds nothing and sleeps on; then all sleep: a deadlock.
 * pthread_cond_broadcast, or two condition variables as in correct/bounded_buffer.c, would do.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int count;

static void put(void) {
    pthread_mutex_lock(&lock);
    while (count == 1) pthread_cond_wait(&changed, &lock);
    count++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static void *consume(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    while (count == 0) pthread_cond_wait(&changed, &lock);
    count--;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t consumers[2];
    for (int i = 0; i < 2; i++) pthread_create(&consumers[i], NULL, consume, NULL);
    put();
    put();
    for (int i = 0; i < 2; i++) pthread_join(consumers[i], NULL);
    return 0;
}
