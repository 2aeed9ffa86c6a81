/* SPDX-License-Identifier: Apache-2.0
 *
 * The simplest race: two threads count up a shared variable. `counter++` is a read and a write; when both read before
 * either writes, one of the two is lost.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int counter;

static void *count(void *unused) {
    (void)unused;
    counter++;
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, count, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    assert(counter == 2);
    return 0;
}
