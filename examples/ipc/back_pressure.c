/* SPDX-License-Identifier: Apache-2.0
 *
 * A full port with two senders that wait for it, and main, which empties it: all senders must get on, not only the one
 * that is woken first. IPC_BUG_LOST_WAKEUP leaves the other asleep.
 */
#undef NDEBUG /* the checks are what this program is for */
#include "ipc_bus.h"
#include <assert.h>

#ifndef QUEUE_SIZE
#define QUEUE_SIZE 2
#endif

/* The level down to which the full port must be emptied before senders may go on. */
#ifndef LOW_WATER
#define LOW_WATER 0
#endif

enum { SENDERS = 2, TYPE = 1 };

_Static_assert(QUEUE_SIZE <= IPC_LANE_CAPACITY, "for more, set IPC_LANE_CAPACITY as well");
_Static_assert(QUEUE_SIZE + SENDERS <= IPC_POOL_BLOCKS, "for more, set IPC_POOL_BLOCKS as well");

struct waiting_sender {
    struct ipc_port *port;
    struct ipc_message *message;
    struct os_thread thread;
};

static struct ipc_bus bus;
static struct waiting_sender senders[SENDERS];

static struct ipc_message *make_message(struct ipc_sender *sender) {
    struct ipc_message *message = NULL;
    assert(ipc_message_create(sender, TYPE, IPC_LEAST_URGENT, OS_NO_WAIT, &message) == IPC_OK);
    ipc_message_seal(message);
    return message;
}

static void send_one(void *argument) {
    struct waiting_sender *self = argument;
    assert(ipc_port_send(self->port, self->message, OS_FOREVER) == IPC_OK);
}

static struct ipc_port *open_full_port(struct ipc_sender *sender) {
    struct ipc_port_attributes attributes = {{QUEUE_SIZE, QUEUE_SIZE, LOW_WATER}, IPC_OVERFLOW_BLOCK};
    struct ipc_port *port = NULL;
    assert(ipc_registry_open(&bus.registry, "inbox", &attributes, &port) == IPC_OK);
    for (unsigned i = 0; i < QUEUE_SIZE; i++) assert(ipc_port_send(port, make_message(sender), OS_NO_WAIT) == IPC_OK);
    return port;
}

int main(void) {
    struct ipc_sender sender;
    assert(ipc_bus_init(&bus, 0) == IPC_OK);
    ipc_bus_sender(&bus, NULL, &sender);
    struct ipc_port *port = open_full_port(&sender);
    for (unsigned i = 0; i < SENDERS; i++) {
        senders[i].port = port;
        senders[i].message = make_message(&sender);
    }
    for (unsigned i = 0; i < SENDERS; i++) assert(os_thread_start(&senders[i].thread, send_one, &senders[i]) == OS_OK);
    for (unsigned i = 0; i < QUEUE_SIZE + SENDERS; i++) {
        struct ipc_message *message = NULL;
        assert(ipc_port_receive(port, OS_FOREVER, &message) == IPC_OK);
        assert(i >= QUEUE_SIZE || message->header.sequence == i);
        ipc_message_release(message);
    }
    for (unsigned i = 0; i < SENDERS; i++) assert(os_thread_join(&senders[i].thread) == OS_OK);
    ipc_bus_drop(&bus, port);
    assert(ipc_bus_destroy(&bus) == IPC_OK);
    return 0;
}
