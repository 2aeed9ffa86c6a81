/* SPDX-License-Identifier: Apache-2.0
 *
 * A table that is filled on first use with pthread_once: whoever comes first fills it, the others wait until it is
 * full, and it is filled once.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int squares[3];
static int fills;

static void fill_table(void) {
    for (int i = 0; i < 3; i++) squares[i] = i * i;
    fills++;
}

static int square(int number) {
    pthread_once(&once, fill_table);
    return squares[number];
}

static void *use_table(void *unused) {
    (void)unused;
    assert(square(2) == 4);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, use_table, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    assert(fills == 1);
    return 0;
}
