/* SPDX-License-Identifier: Apache-2.0
 *
 * A work-stealing queue after Chase and Lev, without growth. The owner pushes and takes at the bottom, thieves steal at
 * the top. When only one task is left, owner and thief settle it with a compare-and-swap of the top: every task is done
 * exactly once. wrong/work_stealing.c lets the owner take the last task without that.
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
    int first = atomic_load(&top);
    int task = NONE;
    if (first <= at) task = atomic_load(&tasks[at % SIZE]);
    if (first < at) return task;
    if (first == at && !atomic_compare_exchange_strong(&top, &first, first + 1)) task = NONE;
    atomic_store(&bottom, at + 1);
    return task;
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
    perform(steal());
    return NULL;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, thief, NULL);
    for (int task = 0; task < SIZE; task++) push(task);
    for (int i = 0; i < SIZE; i++) perform(take());
    pthread_join(other, NULL);
    for (int task = 0; task < SIZE; task++) assert(atomic_load(&done[task]) == 1);
    return 0;
}
