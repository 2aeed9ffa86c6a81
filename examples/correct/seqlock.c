/* SPDX-License-Identifier: Apache-2.0
 *
 * A sequence lock: the writer makes the sequence number odd, writes, and makes it even again. Readers do not lock; they
 * read again when the number was odd or has changed meanwhile, and so never use half of an update.
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
    unsigned before;
    int whole, fraction;
    do {
        do {
            before = atomic_load(&sequence);
        } while (before % 2 == 1);
        whole = atomic_load(&seconds);
        fraction = atomic_load(&nanoseconds);
    } while (atomic_load(&sequence) != before);
    assert(whole == fraction);
    return NULL;
}

int main(void) {
    pthread_t readers[2];
    for (int i = 0; i < 2; i++) pthread_create(&readers[i], NULL, read_clock, NULL);
    set_clock(1);
    set_clock(2);
    for (int i = 0; i < 2; i++) pthread_join(readers[i], NULL);
    return 0;
}
