/* SPDX-License-Identifier: Apache-2.0
 *
 * Prefix sums of THREADS blocks of BLOCK numbers by as many threads: each publishes the sum of its block, looks back
 * over the blocks before it until it meets one whose sum from the start is known, and publishes its own.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#ifndef THREADS
#define THREADS 3
#endif
#ifndef BLOCK
#define BLOCK 1
#endif

enum { UNKNOWN, OF_BLOCK, FROM_START };

static atomic_int known[THREADS]; /* what of a block is known so far */
static atomic_int block_sum[THREADS], sum_from_start[THREADS];
static atomic_int sums[THREADS * BLOCK];

static int look_back(int block) {
    int sum = 0;
    for (int before = block - 1; before >= 0; before--) {
        int state;
        do state = atomic_load(&known[before]);
        while (state == UNKNOWN);
        if (state == FROM_START) return sum + atomic_load(&sum_from_start[before]);
        sum += atomic_load(&block_sum[before]);
    }
    return sum;
}

static void *work(void *argument) {
    int block = (int)(intptr_t)argument, sum = 0;
    for (int i = 0; i < BLOCK; i++) sum += block * BLOCK + i;
    atomic_store(&block_sum[block], sum);
    atomic_store(&known[block], OF_BLOCK);
    int before = look_back(block);
    atomic_store(&sum_from_start[block], before + sum);
    atomic_store(&known[block], FROM_START);
    for (int i = 0; i < BLOCK; i++) {
        before += block * BLOCK + i;
        atomic_store(&sums[block * BLOCK + i], before);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS * BLOCK; i++) assert(atomic_load(&sums[i]) == i * (i + 1) / 2);
    return 0;
}
