/* SPDX-License-Identifier: Apache-2.0
 *
 * A sender and a receiver that share two slots and never stop. Messages are numbered, and the numbers only grow, so no
 * state ever comes again: a full search goes on for ever. What matters is how far the two are apart, which is all that
 * the abstraction in sequence_numbers_abs.c keeps. With -DOVERRUN the sender overwrites what was not received yet.
 */
#include "sequence_numbers.h"

#include <assert.h>
#include <pthread.h>
#include <stddef.h>

volatile unsigned long slots[SLOTS], sent, received;

static void *send_all(void *unused) {
    for (;;) {
#ifdef OVERRUN
        while (sent - received > SLOTS) continue;
#else
        while (sent - received == SLOTS) continue;
#endif
        slots[sent % SLOTS] = sent;
        sent++;
    }
    return unused;
}

int main(void) {
    pthread_t sender;
    pthread_create(&sender, NULL, send_all, NULL);
    for (;;) {
        while (received == sent) continue;
        assert(slots[received % SLOTS] == received);
        received++;
    }
}
