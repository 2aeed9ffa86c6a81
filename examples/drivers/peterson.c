/* SPDX-License-Identifier: Apache-2.0
 *
 * Peterson's algorithm as functions without a main: the driver peterson.pml runs initialise, registers the invariant
 * and starts a thread for each process. With -DNO_TURN nobody gives way, and each may wait for the other for ever.
 */
static volatile int wants[2], turn, critical[2];

void initialise(void) {
    wants[0] = wants[1] = critical[0] = critical[1] = 0;
    turn = 0;
}

int exclusion(void) { return !(critical[0] && critical[1]); }

void process(int self) {
    int other = 1 - self;
    for (int round = 0; round < 2; round++) {
        wants[self] = 1;
#ifndef NO_TURN
        turn = other;
        while (wants[other] && turn == other) {
        }
#else
        if (wants[other]) wants[self] = 0; /* too polite, and enters all the same */
#endif
        critical[self] = 1;
        critical[self] = 0;
        wants[self] = 0;
    }
}
