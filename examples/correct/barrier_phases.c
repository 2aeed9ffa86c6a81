/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads smooth a row of numbers in step: all read, a pthread_barrier_t, all write, the barrier again. Without it,
 * one would read what the other has already overwritten.
 */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static pthread_barrier_t barrier;
static int row[4] = {0, 4, 8, 16}; /* the ends stay as they are */

static void *smooth(void *argument) {
    int at = (int)(intptr_t)argument;
    for (int round = 0; round < 2; round++) {
        int mean = (row[at - 1] + row[at + 1]) / 2;
        pthread_barrier_wait(&barrier);
        row[at] = mean;
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(void) {
    pthread_t other;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&other, NULL, smooth, (void *)(intptr_t)1);
    smooth((void *)(intptr_t)2);
    pthread_join(other, NULL);
    pthread_barrier_destroy(&barrier);
    assert(row[1] == 5 && row[2] == 10);
    return 0;
}
