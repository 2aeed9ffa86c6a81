/* SPDX-License-Identifier: Apache-2.0
 *
 * A pool of workers on one queue with broadcast shutdown, detached threads, cleanup handlers, timed waits that time
 * out.
 */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

enum { WORKERS = 3, TASKS = 24 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int next_task, finished, stopping, results[TASKS], cleaned, detached_done;

static void clean(void *argument) {
    pthread_mutex_lock(&lock);
    cleaned += *(int *)argument;
    pthread_mutex_unlock(&lock);
}

static void *work(void *unused) {
    int amount = 7, skipped = 100;
    pthread_cleanup_push(clean, &amount);
    pthread_mutex_lock(&lock);
    for (;;) {
        while (next_task == TASKS && !stopping) pthread_cond_wait(&changed, &lock);
        if (next_task == TASKS) break;
        int task = next_task++;
        pthread_mutex_unlock(&lock);
        int value = task;
        for (int i = 0; i < 10; i++) value = (value * 17 + 3) % 1009;
        pthread_mutex_lock(&lock);
        results[task] = value;
        if (++finished == TASKS) pthread_cond_broadcast(&changed);
    }
    pthread_mutex_unlock(&lock);
    pthread_cleanup_push(clean, &skipped);
    pthread_cleanup_pop(0);
    pthread_exit(unused);
    pthread_cleanup_pop(1);
    return NULL;
}

static void *detached(void *unused) {
    pthread_mutex_lock(&lock);
    detached_done = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t threads[WORKERS], loner;
    for (int i = 0; i < WORKERS; i++) pthread_create(&threads[i], NULL, work, NULL);
    pthread_mutex_lock(&lock);
    while (finished < TASKS) pthread_cond_wait(&changed, &lock);
    stopping = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < WORKERS; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < TASKS; i++) printf("%d ", results[i]);
    pthread_create(&loner, NULL, detached, NULL);
    pthread_detach(loner);
    pthread_mutex_lock(&lock);
    while (!detached_done) pthread_cond_wait(&changed, &lock);
    struct timespec past = {0, 0};
    int timed = pthread_cond_timedwait(&changed, &lock, &past);
    pthread_mutex_unlock(&lock);
    printf("\n%d %d %d\n", cleaned, detached_done, timed == ETIMEDOUT);
    return 0;
}
