/* SPDX-License-Identifier: Apache-2.0
 *
 * One thread sends, main receives: every message arrives once, urgent ones first, those of one priority in the order in
 * which they were sent, and no memory is lost.
 */
#include "traffic.h"

#ifndef QUEUE_SIZE
#define QUEUE_SIZE 2
#endif

/* How many messages the thread sends. */
#ifndef MESSAGES
#define MESSAGES 4
#endif

_Static_assert(QUEUE_SIZE <= IPC_LANE_CAPACITY, "for more, set IPC_LANE_CAPACITY as well");

static struct ipc_bus bus;

int main(void) {
    struct traffic_sender sender;
    struct traffic_book book;
    struct ipc_queue_limits limits = ipc_queue_limits_simple(QUEUE_SIZE);
    if (ipc_bus_init(&bus, 0) != IPC_OK) return 1;
    struct ipc_port *inbox = traffic_open_inbox(&bus, &limits);
    traffic_book_init(&book);
    traffic_start(&sender, &bus, 0, MESSAGES);
    for (unsigned i = 0; i < MESSAGES; i++) traffic_receive(&book, inbox);
    traffic_join(&sender);
    traffic_book_check(&book, 1, MESSAGES);
    traffic_finish(&bus, inbox);
    return 0;
}
