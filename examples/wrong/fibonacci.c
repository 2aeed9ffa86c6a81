/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads add each other's number to their own, twice each, in the way of the software verification competition.
 * Only when they strictly take turns do the numbers grow like Fibonacci's, up to 8: one schedule in many reaches it.
 */
#include <pthread.h>
#include <stddef.h>

extern void reach_error(void);

enum { TIMES = 2, SIXTH_FIBONACCI_NUMBER = 8 };

static volatile int i = 1, j = 1;

static void *grow_i(void *unused) {
    (void)unused;
    for (int k = 0; k < TIMES; k++) i += j;
    return NULL;
}

static void *grow_j(void *unused) {
    (void)unused;
    for (int k = 0; k < TIMES; k++) j += i;
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, grow_i, NULL);
    pthread_create(&threads[1], NULL, grow_j, NULL);
    for (int k = 0; k < 2; k++) pthread_join(threads[k], NULL);
    if (i >= SIXTH_FIBONACCI_NUMBER || j >= SIXTH_FIBONACCI_NUMBER) {
        reach_error();
    }
    return 0;
}
