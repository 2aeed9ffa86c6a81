/* SPDX-License-Identifier: Apache-2.0
 *
 * THREADS threads count ROUNDS times each in places that lie far apart in BYTES bytes of memory, globals or (with
 * -DHEAP) one block on the heap, and note in each place who came last. What a step changes and how many states there
 * are does not depend on BYTES.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#ifndef THREADS
#define THREADS 2
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif
#ifndef BYTES
#define BYTES 1024
#endif
#define WORDS (BYTES / (int)sizeof(atomic_int))
#define PLACES 4

#ifdef HEAP
static atomic_int *words;
#else
static atomic_int words[WORDS];
#endif

static void *work(void *argument) {
    for (int round = 0; round < ROUNDS; round++) {
        atomic_int *place = &words[(round + (int)(intptr_t)argument) % PLACES * (WORDS / PLACES)];
        atomic_fetch_add(place, 1);
        atomic_store(place + 1, (int)(intptr_t)argument);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
#ifdef HEAP
    words = calloc(WORDS, sizeof *words);
#endif
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    int sum = 0;
    for (int place = 0; place < PLACES; place++) sum += atomic_load(&words[place * (WORDS / PLACES)]);
    assert(sum == THREADS * ROUNDS);
    return 0;
}
