// SPDX-License-Identifier: Apache-2.0
// Rounds at a barrier, one serial thread each; the first to leave may destroy it.
#include "check.h"

static pthread_barrier_t barrier, *last;
static int rounds[3], serial;

static void *work(void *argument) {
    int me = (int)(long)argument;
    for (int i = 0; i < 5; i++) {
        rounds[me]++;
        int result = pthread_barrier_wait(&barrier);
        CHECK(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
        for (int other = 0; other < 3; other++) CHECK(rounds[other] == i + 1);
        if (result == PTHREAD_BARRIER_SERIAL_THREAD) serial++;
        pthread_barrier_wait(&barrier);
    }
    if (pthread_barrier_wait(last) == PTHREAD_BARRIER_SERIAL_THREAD) {
        CHECK(pthread_barrier_destroy(last) == 0);
        free(last);
    }
    return NULL;
}

int main(void) {
    pthread_t ids[3];
    pthread_barrierattr_t attr;
    int shared;
    CHECK(pthread_barrierattr_init(&attr) == 0);
    CHECK(pthread_barrierattr_getpshared(&attr, &shared) == 0 && shared == PTHREAD_PROCESS_PRIVATE);
    CHECK(pthread_barrierattr_setpshared(&attr, 77) == EINVAL);
    CHECK(pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED) == 0);
    CHECK(pthread_barrierattr_getpshared(&attr, &shared) == 0 && shared == PTHREAD_PROCESS_SHARED);
    last = malloc(sizeof *last);
    CHECK(pthread_barrier_init(&barrier, NULL, 0) == EINVAL);
    CHECK(pthread_barrier_init(&barrier, &attr, 1) == 0);
    CHECK(pthread_barrierattr_destroy(&attr) == 0);
    CHECK(pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
    CHECK(pthread_barrier_destroy(&barrier) == 0);
    CHECK(pthread_barrier_init(&barrier, NULL, 3) == 0 && pthread_barrier_init(last, NULL, 3) == 0);
    for (long i = 0; i < 3; i++) pthread_create(&ids[i], NULL, work, (void *)i);
    for (int i = 0; i < 3; i++) pthread_join(ids[i], NULL);
    CHECK(pthread_barrier_destroy(&barrier) == 0);
    printf("%d serial\n", serial);
    return 0;
}
