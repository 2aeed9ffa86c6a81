/* SPDX-License-Identifier: Apache-2.0
 *
 * A counter that stops at a limit, without locks: read it, compute the next value, and swap it in unless another thread
 * was faster. Three attempts share two places: exactly two succeed.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { LIMIT = 2 };

static atomic_int used;
static atomic_int admitted;

static bool reserve(void) {
    int seen = atomic_load(&used);
    while (seen < LIMIT) {
        if (atomic_compare_exchange_weak(&used, &seen, seen + 1)) return true;
    }
    return false;
}

static void *visit(void *unused) {
    (void)unused;
    if (reserve()) atomic_fetch_add(&admitted, 1);
    return NULL;
}

int main(void) {
    pthread_t visitors[2];
    for (int i = 0; i < 2; i++) pthread_create(&visitors[i], NULL, visit, NULL);
    visit(NULL);
    for (int i = 0; i < 2; i++) pthread_join(visitors[i], NULL);
    assert(atomic_load(&used) == LIMIT && atomic_load(&admitted) == LIMIT);
    return 0;
}
