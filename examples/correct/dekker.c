/* SPDX-License-Identifier: Apache-2.0
 *
 * Dekker's algorithm, the first solution of mutual exclusion with nothing but reads and writes. Two threads add to a
 * counter, and no addition is lost. All variables are volatile: the compiler keeps every access, in this order.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

static volatile bool wants[2];
static volatile int turn;
static volatile int counter;

static void enter(int self) {
    int other = 1 - self;
    wants[self] = true;
    while (wants[other]) {
        if (turn == self) continue;
        wants[self] = false;
        while (turn != self) continue;
        wants[self] = true;
    }
}

static void leave(int self) {
    turn = 1 - self;
    wants[self] = false;
}

static void *add(void *argument) {
    int self = (int)(intptr_t)argument;
    for (int i = 0; i < 2; i++) {
        enter(self);
        counter = counter + 1;
        leave(self);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, add, (void *)(intptr_t)i);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    assert(counter == 4);
    return 0;
}
