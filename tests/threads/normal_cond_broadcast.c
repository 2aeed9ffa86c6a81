// SPDX-License-Identifier: Apache-2.0
// A broadcast wakes all; the object may be destroyed and freed right after it.
#include "check.h"

struct gate {
    pthread_cond_t opened;
};
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static struct gate *gate;
static int waiting, is_open, through;

static void *pass(void *argument) {
    pthread_mutex_lock(&mutex);
    waiting++;
    CHECK(pthread_cond_signal(&arrived) == 0);
    CHECK(pthread_cond_wait(&gate->opened, &mutex) == 0 && is_open);
    through++;
    pthread_mutex_unlock(&mutex);
    return argument;
}

int main(void) {
    pthread_t ids[3];
    gate = malloc(sizeof *gate);
    CHECK(pthread_cond_init(&gate->opened, NULL) == 0);
    for (int i = 0; i < 3; i++) pthread_create(&ids[i], NULL, pass, NULL);
    pthread_mutex_lock(&mutex);
    while (waiting < 3) CHECK(pthread_cond_wait(&arrived, &mutex) == 0);
    is_open = 1;
    CHECK(pthread_cond_broadcast(&gate->opened) == 0);
    pthread_mutex_unlock(&mutex);
    CHECK(pthread_cond_destroy(&gate->opened) == 0);
    free(gate);
    for (int i = 0; i < 3; i++) pthread_join(ids[i], NULL);
    printf("%d went through\n", through);
    CHECK(pthread_cond_broadcast(&arrived) == 0 && pthread_cond_signal(&arrived) == 0);
    return 0;
}
