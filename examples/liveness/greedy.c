/* SPDX-License-Identifier: Apache-2.0
 *
 * A mutex promises no order. The greedy thread takes it again as soon as it has given it back, and the other one may
 * wait for ever: it is not always blocked, so a fair scheduler need not help it.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int meals;

static void *greedy(void *unused) {
    for (;;) {
        pthread_mutex_lock(&lock);
        meals = !meals;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *modest(void *unused) {
    for (;;) {
        pthread_mutex_lock(&lock);
    served:
        meals = !meals;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, greedy, NULL);
    modest(NULL);
    return 0;
}
