/* SPDX-License-Identifier: Apache-2.0
 *
 * A lost wake-up. The waiting thread looks at the flag before it takes the lock; if the flag is set and the signal sent
 * in between, there is nobody to wake yet, and the thread sleeps for ever: a deadlock.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_bool ready;

static void *wait_until_ready(void *unused) {
    (void)unused;
    while (!atomic_load(&ready)) {
        pthread_mutex_lock(&lock);
        pthread_cond_wait(&changed, &lock);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void) {
    pthread_t waiter;
    pthread_create(&waiter, NULL, wait_until_ready, NULL);
    atomic_store(&ready, true);
    pthread_mutex_lock(&lock);
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    pthread_join(waiter, NULL);
    return 0;
}
