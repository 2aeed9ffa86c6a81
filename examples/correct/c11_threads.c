/* SPDX-License-Identifier: Apache-2.0
 *
 * A result handed over with C11 threads instead of pthreads: thrd_create, mtx_lock, cnd_wait. The exit code of each
 * thread comes back through thrd_join.
 */
#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <threads.h>

static mtx_t lock;
static cnd_t available;
static bool is_available;
static int result;

static int compute(void *unused) {
    (void)unused;
    mtx_lock(&lock);
    result = 6 * 7;
    is_available = true;
    cnd_signal(&available);
    mtx_unlock(&lock);
    return 0;
}

static int wait_for_result(void *unused) {
    (void)unused;
    mtx_lock(&lock);
    while (!is_available) cnd_wait(&available, &lock);
    int seen = result;
    mtx_unlock(&lock);
    return seen;
}

int main(void) {
    thrd_t producer, consumer;
    int seen;
    mtx_init(&lock, mtx_plain);
    cnd_init(&available);
    thrd_create(&producer, compute, NULL);
    thrd_create(&consumer, wait_for_result, NULL);
    thrd_join(producer, NULL);
    thrd_join(consumer, &seen);
    cnd_destroy(&available);
    mtx_destroy(&lock);
    assert(seen == 42);
    return 0;
}
