/* SPDX-License-Identifier: Apache-2.0
 *
 * Who takes the last piece of a buffer frees it. The pieces are taken by moving a shared pointer on, and so the pointer
 * that is freed is the start of the buffer only if it was never moved. With -DFIXED the start is remembered.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { PIECES = 2 };

static char *start;
static char *_Atomic next;
static atomic_int left = PIECES;

static void *take(void *unused) {
    *atomic_fetch_add(&next, 1) = 'x';
    if (atomic_fetch_sub(&left, 1) == 1) {
#ifdef FIXED
        free(start);
#else
        free(next);
#endif
    }
    return unused;
}

int main(void) {
    pthread_t other;
    start = malloc(PIECES);
    next = start;
    pthread_create(&other, NULL, take, NULL);
    take(NULL);
    pthread_join(other, NULL);
    return 0;
}
