/* SPDX-License-Identifier: Apache-2.0
 *
 * C11 threads: create, join with a result, mutexes, condition variables, call_once, thread-specific storage.
 */
#include <stdio.h>
#include <threads.h>

static mtx_t lock, nested;
static cnd_t changed;
static once_flag once = ONCE_FLAG_INIT;
static tss_t key;
static int turn, made, destroyed, log_length, log_values[20];
static thread_local int local = 5;

static void make(void) { made++; }
static void destroy(void *value) {
    mtx_lock(&lock);
    destroyed += *(int *)value;
    mtx_unlock(&lock);
}

static int take_turns(void *argument) {
    int me = *(int *)argument;
    call_once(&once, make);
    tss_set(key, argument);
    for (int round = 0; round < 4; round++) {
        mtx_lock(&lock);
        while (turn % 3 != me) cnd_wait(&changed, &lock);
        log_values[log_length++] = turn++ * 10 + me;
        cnd_broadcast(&changed);
        mtx_unlock(&lock);
        local += me;
    }
    mtx_lock(&nested);
    mtx_lock(&nested);
    int result = local * 10 + *(int *)tss_get(key);
    mtx_unlock(&nested);
    mtx_unlock(&nested);
    if (me == 2) thrd_exit(result + 1000);
    return result;
}

int main(void) {
    mtx_init(&lock, mtx_plain);
    mtx_init(&nested, mtx_plain | mtx_recursive);
    cnd_init(&changed);
    tss_create(&key, destroy);
    thrd_t threads[3];
    int ids[3] = {0, 1, 2};
    for (int i = 0; i < 3; i++) printf("%d ", thrd_create(&threads[i], take_turns, &ids[i]) == thrd_success);
    for (int i = 0; i < 3; i++) {
        int result;
        thrd_join(threads[i], &result);
        printf("%d ", result);
    }
    for (int i = 0; i < log_length; i++) printf("%d ", log_values[i]);
    printf("\n%d %d %d %d\n", made, destroyed, local, tss_get(key) == NULL);
    thrd_yield();
    printf("%d ", mtx_trylock(&lock) == thrd_success);
    mtx_unlock(&lock);
    printf("%d\n", thrd_equal(thrd_current(), thrd_current()) != 0);
    tss_delete(key);
    cnd_destroy(&changed);
    mtx_destroy(&nested);
    mtx_destroy(&lock);
    return 0;
}
