/* SPDX-License-Identifier: Apache-2.0
 *
 * Main waits for two ports at once, with a thread that sends to each: no message is missed, whenever it comes.
 */
#undef NDEBUG /* the checks are what this program is for */
#include "ipc_bus.h"
#include "ipc_waitset.h"
#include <assert.h>

#ifndef QUEUE_SIZE
#define QUEUE_SIZE 1
#endif

/* How many messages each port gets. */
#ifndef MESSAGES
#define MESSAGES 1
#endif

enum { PORTS = 2, TYPE = 1 };

_Static_assert(QUEUE_SIZE <= IPC_LANE_CAPACITY, "for more, set IPC_LANE_CAPACITY as well");
_Static_assert(PORTS <= IPC_PORTS && PORTS <= IPC_WATCHED_PORTS, "all find a place");

struct line {
    struct ipc_port *port;
    unsigned received;
    struct os_thread thread;
};

static struct ipc_bus bus;
static struct line lines[PORTS];

static void send_all(void *argument) {
    const struct line *self = argument;
    struct ipc_sender sender;
    ipc_bus_sender(&bus, NULL, &sender);
    for (unsigned i = 0; i < MESSAGES; i++) {
        struct ipc_message *message = NULL;
        assert(ipc_message_create(&sender, TYPE, IPC_LEAST_URGENT, OS_FOREVER, &message) == IPC_OK);
        ipc_message_seal(message);
        assert(ipc_port_send(self->port, message, OS_FOREVER) == IPC_OK);
    }
}

static struct line *line_of(const struct ipc_port *port) {
    assert(port == lines[0].port || port == lines[1].port);
    return port == lines[0].port ? &lines[0] : &lines[1];
}

static void receive_one(struct ipc_waitset *set) {
    struct ipc_port *ready = NULL;
    struct ipc_message *message = NULL;
    assert(ipc_waitset_wait(set, OS_FOREVER, &ready) == IPC_OK);
    assert(ipc_port_receive(ready, OS_NO_WAIT, &message) == IPC_OK);
    assert(message->header.sequence == line_of(ready)->received);
    line_of(ready)->received++;
    ipc_message_release(message);
}

/* A closed port is ready, too: to tell that it is closed. */
static void close_line(struct line *line, struct ipc_waitset *set) {
    struct ipc_port *ready = NULL;
    struct ipc_message *none = NULL;
    ipc_port_close(line->port, IPC_CLOSE_DRAIN);
    assert(ipc_waitset_wait(set, OS_FOREVER, &ready) == IPC_OK && ready == line->port);
    assert(ipc_port_receive(ready, OS_FOREVER, &none) == IPC_CLOSED);
    assert(ipc_waitset_remove(set, ready) == IPC_OK);
    ipc_bus_drop(&bus, ready);
}

int main(void) {
    static const char *const names[PORTS] = {"left", "right"};
    struct ipc_waitset set;
    assert(ipc_bus_init(&bus, 0) == IPC_OK);
    assert(ipc_waitset_init(&set) == IPC_OK);
    for (unsigned i = 0; i < PORTS; i++) {
        assert(ipc_bus_open(&bus, names[i], QUEUE_SIZE, &lines[i].port) == IPC_OK);
        assert(ipc_waitset_add(&set, lines[i].port) == IPC_OK);
    }
    for (unsigned i = 0; i < PORTS; i++) assert(os_thread_start(&lines[i].thread, send_all, &lines[i]) == OS_OK);
    for (unsigned i = 0; i < PORTS * MESSAGES; i++) receive_one(&set);
    for (unsigned i = 0; i < PORTS; i++) {
        assert(os_thread_join(&lines[i].thread) == OS_OK);
        assert(lines[i].received == MESSAGES);
        close_line(&lines[i], &set);
    }
    ipc_waitset_destroy(&set);
    assert(ipc_bus_destroy(&bus) == IPC_OK);
    return 0;
}
