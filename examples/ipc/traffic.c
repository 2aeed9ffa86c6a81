/* SPDX-License-Identifier: Apache-2.0
 *
 * Sending and checking numbered messages.
 */
#undef NDEBUG /* the checks are what this file is for */
#include "traffic.h"
#include "ipc_codec.h"
#include <assert.h>

static unsigned priority_of(uint32_t number) { return IPC_LEAST_URGENT - number % IPC_PRIORITIES; }

static void send_number(struct ipc_sender *sender, struct ipc_port *port, uint8_t who, uint32_t number) {
    struct ipc_message *message = NULL;
    assert(ipc_message_create(sender, TRAFFIC_TYPE, priority_of(number), OS_FOREVER, &message) == IPC_OK);
    struct ipc_writer writer = ipc_writer_of(message);
    ipc_put_u8(&writer, who);
    ipc_put_u16(&writer, (uint16_t)number);
    assert(ipc_writer_finish(&writer) == IPC_OK);
    ipc_message_seal(message);
    assert(ipc_port_send(port, message, OS_FOREVER) == IPC_OK);
}

static void send_all(void *argument) {
    struct traffic_sender *self = argument;
    struct ipc_port *port = NULL;
    struct ipc_sender sender;
    assert(ipc_registry_find(&self->bus->registry, "inbox", OS_FOREVER, &port) == IPC_OK);
    ipc_bus_sender(self->bus, NULL, &sender);
    for (uint32_t number = 0; number < self->messages; number++) send_number(&sender, port, self->number, number);
    ipc_bus_drop(self->bus, port);
}

void traffic_start(struct traffic_sender *sender, struct ipc_bus *bus, uint8_t number, uint16_t messages) {
    sender->bus = bus;
    sender->messages = messages;
    sender->number = number;
    assert(os_thread_start(&sender->thread, send_all, sender) == OS_OK);
}

void traffic_join(struct traffic_sender *sender) { assert(os_thread_join(&sender->thread) == OS_OK); }

void traffic_book_init(struct traffic_book *book) {
    for (unsigned sender = 0; sender < TRAFFIC_SENDERS; sender++)
        for (uint32_t number = 0; number < IPC_PRIORITIES; number++) book->next[sender][priority_of(number)] = number;
}

static void check_message(struct traffic_book *book, const struct ipc_message *message) {
    assert(message->header.type == TRAFFIC_TYPE);
    struct ipc_reader reader = ipc_reader_of(message);
    uint8_t sender = ipc_get_u8(&reader);
    uint16_t number = ipc_get_u16(&reader);
    assert(ipc_reader_finish(&reader) == IPC_OK);
    assert(sender < TRAFFIC_SENDERS && message->header.priority < IPC_PRIORITIES);
    assert(message->header.sequence == number);
    uint32_t *next = &book->next[sender][message->header.priority];
    assert(number == *next);
    *next += IPC_PRIORITIES;
}

void traffic_receive(struct traffic_book *book, struct ipc_port *port) {
    struct ipc_header most_urgent = {.priority = IPC_LEAST_URGENT};
    struct ipc_message *message = NULL;
    ipc_port_peek(port, &most_urgent);
    assert(ipc_port_receive(port, OS_FOREVER, &message) == IPC_OK);
    assert(message->header.priority <= most_urgent.priority);
    check_message(book, message);
    ipc_message_release(message);
}

void traffic_book_check(const struct traffic_book *book, unsigned senders, uint16_t messages) {
    for (unsigned sender = 0; sender < senders; sender++)
        for (unsigned priority = 0; priority < IPC_PRIORITIES; priority++)
            assert(book->next[sender][priority] >= messages);
}

struct ipc_port *traffic_open_inbox(struct ipc_bus *bus, const struct ipc_queue_limits *limits) {
    struct ipc_port_attributes attributes = {*limits, IPC_OVERFLOW_BLOCK};
    struct ipc_port *port = NULL;
    assert(ipc_registry_open(&bus->registry, "inbox", &attributes, &port) == IPC_OK);
    return port;
}

void traffic_finish(struct ipc_bus *bus, struct ipc_port *port) {
    struct ipc_message *message = NULL;
    ipc_port_close(port, IPC_CLOSE_DRAIN);
    assert(ipc_port_receive(port, OS_NO_WAIT, &message) == IPC_CLOSED);
    ipc_bus_drop(bus, port);
    assert(ipc_pool_free_count(&bus->pool) == IPC_POOL_BLOCKS);
    assert(ipc_bus_destroy(bus) == IPC_OK);
}
