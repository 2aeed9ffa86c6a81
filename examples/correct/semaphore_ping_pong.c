/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads take turns with two semaphores, each posting the one that the other waits for. Nothing else protects the
 * ball, and each finds it as the other one left it.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

enum { ROUNDS = 2 };

static sem_t ping, pong;
static int ball;

static void *answer(void *unused) {
    (void)unused;
    for (int i = 0; i < ROUNDS; i++) {
        sem_wait(&pong);
        assert(ball == 2 * i + 1);
        ball++;
        sem_post(&ping);
    }
    return NULL;
}

int main(void) {
    pthread_t other;
    sem_init(&ping, 0, 1);
    sem_init(&pong, 0, 0);
    pthread_create(&other, NULL, answer, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        sem_wait(&ping);
        assert(ball == 2 * i);
        ball++;
        sem_post(&pong);
    }
    pthread_join(other, NULL);
    sem_destroy(&ping);
    sem_destroy(&pong);
    return 0;
}
