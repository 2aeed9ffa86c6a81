// SPDX-License-Identifier: Apache-2.0
// Two threads take turns by signals.
#include "check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static long turn;

static void *play(void *argument) {
    long me = (long)argument;
    for (int i = 0; i < 5; i++) {
        pthread_mutex_lock(&mutex);
        while (turn != me) CHECK(pthread_cond_wait(&turned, &mutex) == 0);
        puts(me ? "pong" : "ping");
        turn = !me;
        CHECK(pthread_cond_signal(&turned) == 0);
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

int main(void) {
    pthread_t id;
    pthread_create(&id, NULL, play, (void *)1);
    play((void *)0);
    pthread_join(id, NULL);
    CHECK(pthread_cond_destroy(&turned) == 0);
    return 0;
}
