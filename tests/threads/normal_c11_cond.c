// SPDX-License-Identifier: Apache-2.0
// Condition variables, storage and call_once of C11.
#include "check.h"
#include <threads.h>

static mtx_t mutex;
static cnd_t changed;
static tss_t key;
static once_flag flag = ONCE_FLAG_INIT;
static int arrived, open_now, destroyed, called;

static void count_destroyed(void *value) { destroyed += *(int *)value; }
static void count_called(void) { called++; }

static int work(void *argument) {
    call_once(&flag, count_called);
    CHECK(tss_get(key) == NULL && tss_set(key, argument) == thrd_success && tss_get(key) == argument);
    mtx_lock(&mutex);
    arrived++;
    CHECK(cnd_broadcast(&changed) == thrd_success);
    while (!open_now) CHECK(cnd_wait(&changed, &mutex) == thrd_success);
    mtx_unlock(&mutex);
    return 0;
}

int main(void) {
    thrd_t ids[2];
    int numbers[2] = {3, 4};
    CHECK(mtx_init(&mutex, mtx_timed) == thrd_success && cnd_init(&changed) == thrd_success);
    CHECK(tss_create(&key, count_destroyed) == thrd_success);
    for (int i = 0; i < 2; i++) CHECK(thrd_create(&ids[i], work, &numbers[i]) == thrd_success);
    mtx_lock(&mutex);
    while (arrived < 2) CHECK(cnd_wait(&changed, &mutex) == thrd_success);
    CHECK(cnd_timedwait(&changed, &mutex, &PAST) == thrd_timedout);
    open_now = 1;
    CHECK(cnd_signal(&changed) == thrd_success && cnd_signal(&changed) == thrd_success);
    mtx_unlock(&mutex);
    for (int i = 0; i < 2; i++) CHECK(thrd_join(ids[i], NULL) == thrd_success);
    tss_delete(key);
    cnd_destroy(&changed);
    mtx_destroy(&mutex);
    printf("%d %d\n", destroyed, called);
    return 0;
}
