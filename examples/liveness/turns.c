/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads take turns with semaphores, for ever: neither waits for ever, and both deliver again and again.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t ping, pong;
static int delivered;

static void *server(void *unused) {
    for (;;) {
        sem_wait(&ping);
    served:
        delivered = 1;
        sem_post(&pong);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&ping, 0, 0);
    sem_init(&pong, 0, 0);
    pthread_create(&thread, NULL, server, NULL);
    for (;;) {
        sem_post(&ping);
        sem_wait(&pong);
    taken:
        delivered = 0;
    }
}
