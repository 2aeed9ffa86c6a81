/* SPDX-License-Identifier: Apache-2.0
 *
 * A hit counter that tries to get its spinlock and does not look whether it did. When the other thread holds the lock,
 * this one counts unprotected, and then unlocks what it does not hold.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_spinlock_t lock;
static int hits;

static void *count_hit(void *unused) {
    (void)unused;
    pthread_spin_trylock(&lock);
    hits++;
    pthread_spin_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, count_hit, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    pthread_spin_destroy(&lock);
    return 0;
}
