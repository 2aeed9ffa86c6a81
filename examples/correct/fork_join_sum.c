/* SPDX-License-Identifier: Apache-2.0
 *
 * Fork and join: each thread adds up its part of an array into a place of its own, main adds the parts after joining.
 * No locks are needed, because no two threads touch the same place at the same time.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { WORKERS = 2, EACH = 2 };

struct part {
    const int *numbers;
    int sum;
};

static void *add_up(void *argument) {
    struct part *part = argument;
    int sum = 0;
    for (int i = 0; i < EACH; i++) sum += part->numbers[i];
    part->sum = sum;
    return NULL;
}

int main(void) {
    static const int numbers[WORKERS * EACH] = {2, 7, 1, 8};
    struct part parts[WORKERS];
    pthread_t threads[WORKERS];
    int sum = 0;
    for (int i = 0; i < WORKERS; i++) {
        parts[i].numbers = &numbers[EACH * i];
        pthread_create(&threads[i], NULL, add_up, &parts[i]);
    }
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(threads[i], NULL);
        sum += parts[i].sum;
    }
    assert(sum == 2 + 7 + 1 + 8);
    return 0;
}
