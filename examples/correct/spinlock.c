/* SPDX-License-Identifier: Apache-2.0
 *
 * Two counters, one under a pthread_spinlock_t and one under a lock made from an atomic_flag. A thread that waits for
 * the first lock is blocked, one that waits for the second goes round its loop; both are checked in full.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_spinlock_t library_lock;
static atomic_flag own_lock = ATOMIC_FLAG_INIT;
static int first, second;

static void *add(void *unused) {
    (void)unused;
    pthread_spin_lock(&library_lock);
    first++;
    pthread_spin_unlock(&library_lock);

    while (atomic_flag_test_and_set_explicit(&own_lock, memory_order_acquire)) continue;
    second++;
    atomic_flag_clear_explicit(&own_lock, memory_order_release);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_spin_init(&library_lock, PTHREAD_PROCESS_PRIVATE);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    pthread_spin_destroy(&library_lock);
    assert(first == 2 && second == 2);
    return 0;
}
