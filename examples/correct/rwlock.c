/* SPDX-License-Identifier: Apache-2.0
 *
 * A point that one thread moves and two read, under a pthread_rwlock_t: the readers may be inside together, and never
 * see half of a move.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int x;
static int y;

static void move(int by) {
    pthread_rwlock_wrlock(&lock);
    x += by;
    y += by;
    pthread_rwlock_unlock(&lock);
}

static void *read_point(void *unused) {
    (void)unused;
    pthread_rwlock_rdlock(&lock);
    int seen_x = x;
    int seen_y = y;
    pthread_rwlock_unlock(&lock);
    assert(seen_x == seen_y);
    return NULL;
}

int main(void) {
    pthread_t readers[2];
    for (int i = 0; i < 2; i++) pthread_create(&readers[i], NULL, read_point, NULL);
    move(1);
    for (int i = 0; i < 2; i++) pthread_join(readers[i], NULL);
    pthread_rwlock_destroy(&lock);
    return 0;
}
