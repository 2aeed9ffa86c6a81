/* SPDX-License-Identifier: Apache-2.0
 *
 * The loop of a service. What it keeps is used by its own thread only, once it runs.
 */
#include "ipc_service.h"
#include <string.h>

enum ipc_status ipc_service_init(struct ipc_service *service, struct ipc_bus *bus, struct ipc_port *port,
                                 os_timeout patience) {
    if (service == NULL || bus == NULL || port == NULL) return IPC_INVALID;
    memset(service, 0, sizeof *service);
    service->bus = bus;
    service->port = port;
    service->patience = patience;
    ipc_bus_sender(bus, port, &service->sender);
    return IPC_OK;
}

static const struct ipc_route *find_route(const struct ipc_service *service, uint16_t type) {
    for (unsigned i = 0; i < service->route_count; i++)
        if (service->routes[i].type == type) return &service->routes[i];
    return NULL;
}

enum ipc_status ipc_service_route(struct ipc_service *service, uint16_t type, ipc_handler handler, void *context) {
    if (service == NULL || handler == NULL || type >= IPC_TYPE_FIRST_RESERVED) return IPC_INVALID;
    if (find_route(service, type) != NULL) return IPC_EXISTS;
    if (service->route_count == IPC_HANDLERS) return IPC_NO_SLOT;
    service->routes[service->route_count++] = (struct ipc_route){type, handler, context};
    return IPC_OK;
}

static enum ipc_status run_handler(const struct ipc_service *service, const struct ipc_message *request,
                                   struct ipc_writer *answer) {
    const struct ipc_route *route = find_route(service, request->header.type);
    if (route == NULL) return IPC_REFUSED;
    struct ipc_reader reader = ipc_reader_of(request);
    return route->handler(route->context, &reader, answer);
}

/* A caller whose request finds no memory for a reply is not told: its own time-out is what ends the call. */
static void answer_call(struct ipc_service *service, const struct ipc_message *request) {
    struct ipc_message *reply = NULL;
    enum ipc_status status =
        ipc_message_create(&service->sender, IPC_TYPE_REPLY, request->header.priority, service->patience, &reply);
    if (status != IPC_OK) return;
    struct ipc_writer writer = ipc_writer_of(reply);
    status = run_handler(service, request, &writer);
    if (status == IPC_OK) status = ipc_writer_finish(&writer);
    if (status != IPC_OK) {
        reply->header.type = IPC_TYPE_REFUSAL;
        ipc_message_set(reply, NULL, 0);
    }
    ipc_reply(&service->bus->calls, request, reply);
}

static void serve(void *argument) {
    struct ipc_service *service = argument;
    struct ipc_message *request = NULL;
    while (ipc_port_receive(service->port, OS_FOREVER, &request) == IPC_OK) {
        if (ipc_is_call(request))
            answer_call(service, request);
        else
            run_handler(service, request, NULL);
        ipc_message_release(request);
    }
}

enum ipc_status ipc_service_start(struct ipc_service *service) {
    if (service == NULL || service->port == NULL) return IPC_INVALID;
    return ipc_status_of(os_thread_start(&service->thread, serve, service));
}

enum ipc_status ipc_service_stop(struct ipc_service *service, enum ipc_close_mode mode) {
    if (service == NULL || service->port == NULL) return IPC_INVALID;
    ipc_port_close(service->port, mode);
    enum os_status status = os_thread_join(&service->thread);
    ipc_bus_drop(service->bus, service->port);
    service->port = NULL;
    return ipc_status_of(status);
}

enum ipc_status ipc_reply_status(const struct ipc_message *reply) {
    if (ipc_message_verify(reply) != IPC_OK) return IPC_CORRUPT;
    return reply->header.type == IPC_TYPE_REPLY ? IPC_OK : IPC_REFUSED;
}
