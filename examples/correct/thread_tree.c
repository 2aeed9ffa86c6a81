/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that start threads: one that has more than one number to add up starts a thread for the first half and adds
 * up the second half itself.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

struct part {
    const int *numbers;
    int count;
    int sum;
};

static void *add_up(void *argument) {
    struct part *whole = argument;
    if (whole->count == 1) {
        whole->sum = whole->numbers[0];
        return NULL;
    }
    pthread_t thread;
    int half = whole->count / 2;
    struct part left = {whole->numbers, half, 0};
    struct part right = {whole->numbers + half, whole->count - half, 0};
    pthread_create(&thread, NULL, add_up, &left);
    add_up(&right);
    pthread_join(thread, NULL);
    whole->sum = left.sum + right.sum;
    return NULL;
}

int main(void) {
    static const int numbers[] = {3, 1, 4};
    struct part all = {numbers, sizeof numbers / sizeof numbers[0], 0};
    add_up(&all);
    assert(all.sum == 3 + 1 + 4);
    return 0;
}
