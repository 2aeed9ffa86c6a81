/* SPDX-License-Identifier: Apache-2.0
 *
 * Fork and join: threads sum parts of an array, results come back through join.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum { THREADS = 4, PART = 25 };
static int data[THREADS * PART];

static void *sum_part(void *argument) {
    intptr_t part = (intptr_t)argument, sum = 0;
    for (int i = 0; i < PART; i++) sum += data[part * PART + i];
    return (void *)sum;
}

static void *leave_early(void *argument) { pthread_exit((char *)argument + 1); }

int main(void) {
    pthread_t threads[THREADS];
    long total = 0;
    for (int i = 0; i < THREADS * PART; i++) data[i] = i * 3 - 7;
    for (intptr_t i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, sum_part, (void *)i);
    for (int i = 0; i < THREADS; i++) {
        void *result;
        int error = pthread_join(threads[i], &result);
        printf("%d %d %ld\n", i, error, (long)(intptr_t)result);
        total += (long)(intptr_t)result;
    }
    char text[] = "xy";
    void *end;
    pthread_create(&threads[0], NULL, leave_early, text);
    pthread_join(threads[0], &end);
    printf("%ld %c %d\n", total, *(char *)end, pthread_equal(pthread_self(), pthread_self()) != 0);
    return (int)(total % 100);
}
