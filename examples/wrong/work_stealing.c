/* SPDX-License-Identifier: Apache-2.0
 *
 * A work-stealing queue whose owner takes the last task without settling with a thief who gets it. The thief has read
 * the same task already and moves the top only afterwards: both do the task. correct/work_stealing.c is right.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { SIZE = 2, NONE = -1 };

static atomic_int tasks[SIZE];
static atomic_int top;
static atomic_int bottom;
static atomic_int done[SIZE];

static void push(int task) {
    int at = atomic_load(&bottom);
    atomic_store(&tasks[at % SIZE], task);
    atomic_store(&bottom, at + 1);
}

static int take(void) {
    int at = atomic_fetch_sub(&bottom, 1) - 1;
    if (atomic_load(&top) <= at) return atomic_load(&tasks[at % SIZE]);
    atomic_store(&bottom, at + 1);
    return NONE;
}

static int steal(void) {
    int first = atomic_load(&top);
    if (first >= atomic_load(&bottom)) return NONE;
    int task = atomic_load(&tasks[first % SIZE]);
    return atomic_compare_exchange_strong(&top, &first, first + 1) ? task : NONE;
}

static void perform(int task) {
    if (task != NONE) assert(atomic_fetch_add(&done[task], 1) == 0);
}

static void *thief(void *unused) {
    (void)unused;
    perform(steal());
    return NULL;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, thief, NULL);
    for (int task = 0; task < SIZE; task++) push(task);
    for (int i = 0; i < SIZE; i++) perform(take());
    pthread_join(other, NULL);
    return 0;
}
