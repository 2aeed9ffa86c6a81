/* SPDX-License-Identifier: Apache-2.0
 *
 * Lamport's bakery without the flags `choosing`, which look superfluous. Thread 0 has read the numbers but not yet
 * stored its own; thread 1 draws the same number, sees no one before it and enters; then thread 0 stores its number,
 * wins the tie and enters too.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { THREADS = 2 };

static volatile int number[THREADS];
static volatile int in_critical;

static int next_number(void) {
    int highest = 0;
    for (int i = 0; i < THREADS; i++) {
        int seen = number[i];
        if (seen > highest) highest = seen;
    }
    return highest + 1;
}

static bool goes_first(int other, int self) {
    int theirs = number[other];
    int mine = number[self];
    return theirs != 0 && (theirs < mine || (theirs == mine && other < self));
}

static void enter(int self) {
    number[self] = next_number();
    for (int other = 0; other < THREADS; other++) {
        if (other == self) continue;
        while (goes_first(other, self)) continue;
    }
}

static void leave(int self) { number[self] = 0; }

static void *customer(void *argument) {
    int self = (int)(intptr_t)argument;
    enter(self);
    in_critical++;
    assert(in_critical == 1);
    in_critical--;
    leave(self);
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, customer, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    return 0;
}
