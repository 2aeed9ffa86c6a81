/* SPDX-License-Identifier: Apache-2.0
 *
 * A client that calls a service and does not wait for ever: a reply may come just when the client gives up, or after it
 * has called again. It never gets an answer to another question. With IPC_BUG_STALE_REPLY it does.
 */
#undef NDEBUG /* the checks are what this program is for */
#include "ipc_service.h"
#include <assert.h>

#ifndef QUEUE_SIZE
#define QUEUE_SIZE 1
#endif

/* How many calls the client makes, one after the other. */
#ifndef MESSAGES
#define MESSAGES 2
#endif

enum { TYPE_INCREMENT = 1, PATIENCE_MS = 10 };

_Static_assert(QUEUE_SIZE <= IPC_LANE_CAPACITY, "for more, set IPC_LANE_CAPACITY as well");

static struct ipc_bus bus;
static struct ipc_service service;

static enum ipc_status increment(void *context, struct ipc_reader *request, struct ipc_writer *answer) {
    (void)context;
    uint16_t number = ipc_get_u16(request);
    if (ipc_reader_finish(request) != IPC_OK || answer == NULL) return IPC_REFUSED;
    ipc_put_u16(answer, (uint16_t)(number + 1));
    return IPC_OK;
}

static void start_service(void) {
    struct ipc_port *port = NULL;
    assert(ipc_bus_open(&bus, "adder", QUEUE_SIZE, &port) == IPC_OK);
    assert(ipc_service_init(&service, &bus, port, OS_FOREVER) == IPC_OK);
    assert(ipc_service_route(&service, TYPE_INCREMENT, increment, NULL) == IPC_OK);
    assert(ipc_service_start(&service) == IPC_OK);
}

static void check_answer(const struct ipc_message *reply, uint16_t number) {
    assert(ipc_reply_status(reply) == IPC_OK);
    struct ipc_reader reader = ipc_reader_of(reply);
    uint16_t answer = ipc_get_u16(&reader);
    assert(ipc_reader_finish(&reader) == IPC_OK);
    assert(answer == (uint16_t)(number + 1));
}

static void call(struct ipc_sender *sender, uint16_t number) {
    struct ipc_message *request = NULL;
    struct ipc_message *reply = NULL;
    assert(ipc_message_create(sender, TYPE_INCREMENT, IPC_LEAST_URGENT, OS_FOREVER, &request) == IPC_OK);
    struct ipc_writer writer = ipc_writer_of(request);
    ipc_put_u16(&writer, number);
    assert(ipc_writer_finish(&writer) == IPC_OK);
    enum ipc_status status = ipc_call(&bus.calls, service.port, request, PATIENCE_MS, &reply);
    assert(status == IPC_OK || status == IPC_TIMEOUT);
    if (status != IPC_OK) return;
    check_answer(reply, number);
    ipc_message_release(reply);
}

int main(void) {
    struct ipc_sender client;
    assert(ipc_bus_init(&bus, 0) == IPC_OK);
    ipc_bus_sender(&bus, NULL, &client);
    start_service();
    for (unsigned i = 0; i < MESSAGES; i++) call(&client, (uint16_t)i);
    assert(ipc_service_stop(&service, IPC_CLOSE_DRAIN) == IPC_OK);
    assert(ipc_bus_destroy(&bus) == IPC_OK);
    return 0;
}
