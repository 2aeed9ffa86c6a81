/* SPDX-License-Identifier: Apache-2.0
 *
 * A ticket lock serves in the order of arrival: who draws a ticket gets in, if the scheduler is fair. Without fairness
 * a thread may be kept from running while another spins.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { THREADS = 2, TICKETS = 4 };

static atomic_uint next_ticket, now_serving;
static volatile int wants[THREADS], inside[THREADS];

static void *visitor(void *argument) {
    int self = argument != NULL;
    for (;;) {
        wants[self] = 1;
        unsigned ticket = atomic_fetch_add(&next_ticket, 1) % TICKETS;
        while (atomic_load(&now_serving) % TICKETS != ticket) {
        }
        inside[self] = 1;
        wants[self] = 0;
        inside[self] = 0;
        atomic_store(&now_serving, (ticket + 1) % TICKETS);
        if (ticket == TICKETS - 1) atomic_fetch_sub(&next_ticket, TICKETS); /* keeps the number of states finite */
    }
    return NULL;
}

int main(void) {
    static pthread_t other;
    pthread_create(&other, NULL, visitor, &other);
    visitor(NULL);
    return 0;
}
