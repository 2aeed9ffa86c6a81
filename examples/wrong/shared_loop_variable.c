/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads are to add up their numbers, 1 and 2. Both get the address of the same loop variable, which main changes
 * while they start: a thread may find the number of the next one, or the one that ended the loop.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int sum;

static void *add(void *number) {
    atomic_fetch_add(&sum, *(int *)number);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    int number;
    for (number = 1; number <= 2; number++) pthread_create(&threads[number - 1], NULL, add, &number);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    assert(atomic_load(&sum) == 1 + 2);
    return 0;
}
