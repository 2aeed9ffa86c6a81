/* SPDX-License-Identifier: Apache-2.0
 *
 * What the test programs share: numbered messages, a thread that sends them, and the book in which a receiver checks
 * that each arrives once and in the right order.
 */
#ifndef TRAFFIC_H
#define TRAFFIC_H

#include "ipc_bus.h"

enum { TRAFFIC_TYPE = 1, TRAFFIC_SENDERS = 2 };

struct traffic_sender {
    struct ipc_bus *bus;
    uint8_t number;
    uint16_t messages;
    struct os_thread thread;
};

/* Sends so many messages to the port "inbox". The first is the least urgent, then all other priorities have their turn.
 */
void traffic_start(struct traffic_sender *sender, struct ipc_bus *bus, uint8_t number, uint16_t messages);
void traffic_join(struct traffic_sender *sender);

/* What is to come next, of each sender and each priority. */
struct traffic_book {
    uint32_t next[TRAFFIC_SENDERS][IPC_PRIORITIES];
};

void traffic_book_init(struct traffic_book *book);
/* Receives one message, checks and releases it. No other thread may receive from the port. */
void traffic_receive(struct traffic_book *book, struct ipc_port *port);
/* So many messages of each of the first so many senders have arrived. */
void traffic_book_check(const struct traffic_book *book, unsigned senders, uint16_t messages);

struct ipc_port *traffic_open_inbox(struct ipc_bus *bus, const struct ipc_queue_limits *limits);
/* Nothing is left in the port, and everything is back in the pool. */
void traffic_finish(struct ipc_bus *bus, struct ipc_port *port);

#endif
