/* SPDX-License-Identifier: Apache-2.0
 *
 * A sequence lock whose reader waits for an even number but does not look at it again afterwards: an update that begins
 * while it reads gives it the old seconds with the new nanoseconds, or the other way round.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_uint sequence;
static atomic_int seconds, nanoseconds; /* the clock; set to equal values here */

static void set_clock(int value) {
    atomic_fetch_add(&sequence, 1);
    atomic_store(&seconds, value);
    atomic_store(&nanoseconds, value);
    atomic_fetch_add(&sequence, 1);
}

static void *read_clock(void *unused) {
    (void)unused;
    while (atomic_load(&sequence) % 2 == 1) continue;
    int whole = atomic_load(&seconds);
    int fraction = atomic_load(&nanoseconds);
    assert(whole == fraction);
    return NULL;
}

int main(void) {
    pthread_t reader;
    pthread_create(&reader, NULL, read_clock, NULL);
    set_clock(1);
    pthread_join(reader, NULL);
    return 0;
}
