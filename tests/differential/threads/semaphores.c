/* SPDX-License-Identifier: Apache-2.0
 *
 * Semaphores: ping-pong in a fixed order, a counted pool, values and trywait.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t ping, pong, pool;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int in_pool, most, entered;

static void *answer(void *unused) {
    for (int i = 0; i < 8; i++) {
        sem_wait(&ping);
        printf("pong %d\n", i);
        sem_post(&pong);
    }
    return unused;
}

static void *swim(void *unused) {
    sem_wait(&pool);
    pthread_mutex_lock(&lock);
    entered++;
    if (++in_pool > most) most = in_pool;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    in_pool--;
    pthread_mutex_unlock(&lock);
    sem_post(&pool);
    return unused;
}

int main(void) {
    pthread_t partner, swimmers[4];
    sem_init(&ping, 0, 0), sem_init(&pong, 0, 0), sem_init(&pool, 0, 2);
    pthread_create(&partner, NULL, answer, NULL);
    for (int i = 0; i < 8; i++) {
        printf("ping %d\n", i);
        sem_post(&ping);
        sem_wait(&pong);
    }
    pthread_join(partner, NULL);
    for (int i = 0; i < 4; i++) pthread_create(&swimmers[i], NULL, swim, NULL);
    for (int i = 0; i < 4; i++) pthread_join(swimmers[i], NULL);
    int value;
    sem_getvalue(&pool, &value);
    printf("%d %d %d\n", entered, most <= 2, value);
    printf("%d %d ", sem_trywait(&pool), sem_trywait(&pool));
    errno = 0;
    printf("%d ", sem_trywait(&pool));
    printf("%d\n", errno == EAGAIN);
    printf("%d %d %d\n", sem_destroy(&ping), sem_destroy(&pong), sem_destroy(&pool));
    return 0;
}
