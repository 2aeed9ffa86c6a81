/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads send to one port, main receives: what one_sender.c promises holds for the messages of each. LOW_WATER is
 * the level down to which a full lane must be emptied before senders may go on.
 */
#include "traffic.h"

#ifndef QUEUE_SIZE
#define QUEUE_SIZE 1
#endif

/* How many messages each thread sends. */
#ifndef MESSAGES
#define MESSAGES 1
#endif

#ifndef LOW_WATER
#define LOW_WATER 0
#endif

_Static_assert(QUEUE_SIZE <= IPC_LANE_CAPACITY, "for more, set IPC_LANE_CAPACITY as well");

static struct ipc_bus bus;

int main(void) {
    struct traffic_sender senders[TRAFFIC_SENDERS];
    struct traffic_book book;
    struct ipc_queue_limits limits = {.capacity = QUEUE_SIZE, .high = QUEUE_SIZE, .low = LOW_WATER};
    if (ipc_bus_init(&bus, 0) != IPC_OK) return 1;
    struct ipc_port *inbox = traffic_open_inbox(&bus, &limits);
    traffic_book_init(&book);
    for (uint8_t i = 0; i < TRAFFIC_SENDERS; i++) traffic_start(&senders[i], &bus, i, MESSAGES);
    for (unsigned i = 0; i < TRAFFIC_SENDERS * MESSAGES; i++) traffic_receive(&book, inbox);
    for (unsigned i = 0; i < TRAFFIC_SENDERS; i++) traffic_join(&senders[i]);
    traffic_book_check(&book, TRAFFIC_SENDERS, MESSAGES);
    traffic_finish(&bus, inbox);
    return 0;
}
