/* SPDX-License-Identifier: Apache-2.0
 *
 * A bus that is shut down while threads use it: one receives, one calls a service that nobody runs. Whatever they are
 * waiting for, both are woken and told, and everything is given back.
 */
#undef NDEBUG /* the checks are what this program is for */
#include "ipc_bus.h"
#include <assert.h>

#ifndef QUEUE_SIZE
#define QUEUE_SIZE 1
#endif

/* 0: the receiver waits for a port that nobody ever opens. */
#ifndef OPEN_INBOX
#define OPEN_INBOX 1
#endif

enum { TYPE = 1 };

_Static_assert(QUEUE_SIZE <= IPC_LANE_CAPACITY, "for more, set IPC_LANE_CAPACITY as well");

static struct ipc_bus bus;

static void receive_until_closed(void *argument) {
    struct ipc_port *port = NULL;
    struct ipc_message *message = NULL;
    (void)argument;
    enum ipc_status status = ipc_registry_find(&bus.registry, "inbox", OS_FOREVER, &port);
    assert(status == IPC_OK || status == IPC_CLOSED);
    if (status != IPC_OK) return;
    while ((status = ipc_port_receive(port, OS_FOREVER, &message)) == IPC_OK) ipc_message_release(message);
    assert(status == IPC_CLOSED);
    ipc_bus_drop(&bus, port);
}

static void call_nobody(void *argument) {
    struct ipc_port *port = argument;
    struct ipc_message *request = NULL;
    struct ipc_message *reply = NULL;
    struct ipc_sender sender;
    ipc_bus_sender(&bus, NULL, &sender);
    enum ipc_status status = ipc_message_create(&sender, TYPE, IPC_LEAST_URGENT, OS_FOREVER, &request);
    if (status == IPC_OK) status = ipc_call(&bus.calls, port, request, OS_FOREVER, &reply);
    assert(status == IPC_CLOSED);
}

int main(void) {
    struct os_thread receiver, caller;
    struct ipc_port *inbox = NULL;
    struct ipc_port *silent = NULL;
    assert(ipc_bus_init(&bus, 0) == IPC_OK);
    assert(ipc_bus_open(&bus, "silent", QUEUE_SIZE, &silent) == IPC_OK);
    assert(os_thread_start(&receiver, receive_until_closed, NULL) == OS_OK);
    assert(os_thread_start(&caller, call_nobody, silent) == OS_OK);
    if (OPEN_INBOX) assert(ipc_bus_open(&bus, "inbox", QUEUE_SIZE, &inbox) == IPC_OK);
    ipc_bus_shutdown(&bus, IPC_CLOSE_DISCARD);
    assert(os_thread_join(&receiver) == OS_OK);
    assert(os_thread_join(&caller) == OS_OK);
    ipc_bus_drop(&bus, inbox);
    ipc_bus_drop(&bus, silent);
    assert(ipc_bus_destroy(&bus) == IPC_OK);
    return 0;
}
