// SPDX-License-Identifier: Apache-2.0
// A server gets commands from outside: any int at all. Only what each is compared with matters, so a handful of values
// stands for all 2^32, and the verdict is exact.
#include <assert.h>
#include <pancam.h>
#include <pthread.h>

enum { START = 1, STOP = 2, RESET = 77, ROUNDS = 4 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int running, starts, stops;

static void *serve(void *unused) {
    for (int round = 0; round < ROUNDS; round++) {
        int command = pancam_nondet_int();
        pthread_mutex_lock(&lock);
        switch (command) {
        case START: starts += !running, running = 1; break;
        case STOP: stops += running, running = 0; break;
        case RESET: running = starts = stops = 0; break;
        default: break;
        }
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t server;
    pthread_create(&server, NULL, serve, NULL);
    pthread_mutex_lock(&lock);
    assert(starts - stops == running);
    pthread_mutex_unlock(&lock);
    pthread_join(server, NULL);
    assert(starts - stops == running);
    return 0;
}
