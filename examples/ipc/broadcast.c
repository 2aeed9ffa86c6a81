/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages that are published to two subscribers, each a thread. Both read the same message in the same memory, and the
 * last one to be done with it gives it back. With IPC_BUG_UNLOCKED_RELEASE both may think that they are the last.
 */
#undef NDEBUG /* the checks are what this program is for */
#include "ipc_codec.h"
#include "ipc_topic.h"
#include "ipc_bus.h"
#include <assert.h>

#ifndef QUEUE_SIZE
#define QUEUE_SIZE 1
#endif

#ifndef MESSAGES
#define MESSAGES 1
#endif

enum { SUBSCRIBERS = 2, TYPE = 1 };

_Static_assert(QUEUE_SIZE <= IPC_LANE_CAPACITY, "for more, set IPC_LANE_CAPACITY as well");
_Static_assert(SUBSCRIBERS <= IPC_SUBSCRIBERS && SUBSCRIBERS <= IPC_PORTS, "all find a place");

struct subscriber {
    struct ipc_port *port;
    unsigned received;
    struct os_thread thread;
};

static struct ipc_bus bus;
static struct ipc_topic topic;
static struct subscriber subscribers[SUBSCRIBERS];

/* Which messages arrive depends on how fast the subscriber is, but not their order. */
static void receive_all(void *argument) {
    struct subscriber *self = argument;
    struct ipc_message *message = NULL;
    uint32_t next = 0;
    while (ipc_port_receive(self->port, OS_FOREVER, &message) == IPC_OK) {
        struct ipc_reader reader = ipc_reader_of(message);
        uint32_t number = ipc_get_u32(&reader);
        assert(ipc_reader_finish(&reader) == IPC_OK);
        assert(number >= next && number == message->header.sequence);
        next = number + 1;
        self->received++;
        ipc_message_release(message);
    }
}

static void start_subscriber(struct subscriber *subscriber, const char *name) {
    assert(ipc_bus_open(&bus, name, QUEUE_SIZE, &subscriber->port) == IPC_OK);
    assert(ipc_topic_subscribe(&topic, subscriber->port) == IPC_OK);
    assert(os_thread_start(&subscriber->thread, receive_all, subscriber) == OS_OK);
}

static void stop_subscriber(struct subscriber *subscriber) {
    ipc_port_close(subscriber->port, IPC_CLOSE_DRAIN);
    assert(os_thread_join(&subscriber->thread) == OS_OK);
    ipc_bus_drop(&bus, subscriber->port);
}

/* How many subscribers got it. */
static unsigned publish(struct ipc_sender *sender, uint32_t number) {
    struct ipc_message *message = NULL;
    unsigned delivered = 0;
    assert(ipc_message_create(sender, TYPE, IPC_LEAST_URGENT, OS_FOREVER, &message) == IPC_OK);
    struct ipc_writer writer = ipc_writer_of(message);
    ipc_put_u32(&writer, number);
    assert(ipc_writer_finish(&writer) == IPC_OK);
    ipc_message_seal(message);
    assert(ipc_topic_publish(&topic, message, &delivered) == IPC_OK);
    return delivered;
}

int main(void) {
    struct ipc_sender sender;
    unsigned delivered = 0;
    assert(ipc_bus_init(&bus, 0) == IPC_OK);
    assert(ipc_topic_init(&topic, &bus.registry) == IPC_OK);
    ipc_bus_sender(&bus, NULL, &sender);
    start_subscriber(&subscribers[0], "first");
    start_subscriber(&subscribers[1], "second");
    for (uint32_t i = 0; i < MESSAGES; i++) delivered += publish(&sender, i);
    for (unsigned i = 0; i < SUBSCRIBERS; i++) stop_subscriber(&subscribers[i]);
    assert(delivered == subscribers[0].received + subscribers[1].received && delivered >= SUBSCRIBERS);
    assert(publish(&sender, MESSAGES) == 0);
    ipc_topic_destroy(&topic);
    assert(ipc_bus_destroy(&bus) == IPC_OK);
    return 0;
}
