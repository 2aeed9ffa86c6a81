/* SPDX-License-Identifier: Apache-2.0
 *
 * Szymanski's algorithm for two threads. Everyone goes into a waiting room; the last one to come closes the door, and
 * then they leave through another one in the order of their numbers.
 */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

enum { OUTSIDE, WANTS_IN, WAITS_FOR_OTHERS, IN_DOORWAY, DOOR_CLOSED };

static volatile int place[2];
static volatile int in_critical;

static void enter(int self) {
    int other = 1 - self;
    place[self] = WANTS_IN;
    while (place[other] >= IN_DOORWAY) continue;
    place[self] = IN_DOORWAY;
    if (place[other] == WANTS_IN) {
        place[self] = WAITS_FOR_OTHERS;
        while (place[other] != DOOR_CLOSED) continue;
    }
    place[self] = DOOR_CLOSED;
    if (self == 1) {
        while (place[0] >= WAITS_FOR_OTHERS) continue;
    }
}

static void leave(int self) {
    if (self == 0) {
        int seen;
        do {
            seen = place[1];
        } while (seen == WAITS_FOR_OTHERS || seen == IN_DOORWAY);
    }
    place[self] = OUTSIDE;
}

static void *worker(void *argument) {
    int self = (int)(intptr_t)argument;
    for (int round = 0; round < 2; round++) {
        enter(self);
        in_critical++;
        assert(in_critical == 1);
        in_critical--;
        leave(self);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, worker, (void *)(intptr_t)i);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 0;
}
