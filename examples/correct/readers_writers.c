/* SPDX-License-Identifier: Apache-2.0
 *
 * Readers and writers from a counter: the first reader locks the writers out, the last one lets them in again. The room
 * is guarded by a semaphore, because the reader who leaves last need not be the one who came first; a mutex may not be
 * used like that, see wrong/readers_writers.c.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;
static sem_t room;
static int readers;
static int x, y;

static void *read_both(void *unused) {
    (void)unused;
    pthread_mutex_lock(&counting);
    if (++readers == 1) sem_wait(&room);
    pthread_mutex_unlock(&counting);
    assert(x == y);
    pthread_mutex_lock(&counting);
    if (--readers == 0) sem_post(&room);
    pthread_mutex_unlock(&counting);
    return NULL;
}

static void write_both(int value) {
    sem_wait(&room);
    x = value;
    y = value;
    sem_post(&room);
}

int main(void) {
    pthread_t threads[2];
    sem_init(&room, 0, 1);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, read_both, NULL);
    write_both(1);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    sem_destroy(&room);
    return 0;
}
