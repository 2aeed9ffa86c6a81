/* SPDX-License-Identifier: Apache-2.0
 *
 * READERS readers and WRITERS writers, each ROUNDS times: the first reader locks the writers out, the last one lets
 * them in again.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

#ifndef READERS
#define READERS 2
#endif
#ifndef WRITERS
#define WRITERS 1
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;
static sem_t room;
static int readers;
static int x, y;

static void *read_both(void *unused) {
    for (int round = 0; round < ROUNDS; round++) {
        pthread_mutex_lock(&counting);
        if (++readers == 1) sem_wait(&room);
        pthread_mutex_unlock(&counting);
        assert(x == y);
        pthread_mutex_lock(&counting);
        if (--readers == 0) sem_post(&room);
        pthread_mutex_unlock(&counting);
    }
    return unused;
}

static void *write_both(void *unused) {
    for (int round = 0; round < ROUNDS; round++) {
        sem_wait(&room);
        x++;
        y++;
        sem_post(&room);
    }
    return unused;
}

int main(void) {
    pthread_t threads[READERS + WRITERS];
    sem_init(&room, 0, 1);
    for (int i = 0; i < READERS + WRITERS; i++)
        pthread_create(&threads[i], NULL, i < READERS ? read_both : write_both, NULL);
    for (int i = 0; i < READERS + WRITERS; i++) pthread_join(threads[i], NULL);
    assert(x == WRITERS * ROUNDS && y == x);
    return 0;
}
