/* SPDX-License-Identifier: Apache-2.0
 *
 * Readers and writers from a counter, as in correct/readers_writers.c, but with a mutex instead of a semaphore for the
 * room. The last reader unlocks it, and that may be another thread than the first one, which locked it: undefined.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t room = PTHREAD_MUTEX_INITIALIZER;
static int readers;
static int x, y;

static void *read_both(void *unused) {
    (void)unused;
    pthread_mutex_lock(&counting);
    if (++readers == 1) pthread_mutex_lock(&room);
    pthread_mutex_unlock(&counting);
    assert(x == y);
    pthread_mutex_lock(&counting);
    if (--readers == 0) pthread_mutex_unlock(&room);
    pthread_mutex_unlock(&counting);
    return NULL;
}

static void write_both(int value) {
    pthread_mutex_lock(&room);
    x = value;
    y = value;
    pthread_mutex_unlock(&room);
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, read_both, NULL);
    write_both(1);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 0;
}
