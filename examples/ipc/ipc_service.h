/* SPDX-License-Identifier: Apache-2.0
 *
 * A service: a thread that receives from a port, gives each message to the handler for its type, and replies to those
 * that are calls. It ends when its port is closed and empty.
 */
#ifndef IPC_SERVICE_H
#define IPC_SERVICE_H

#include "ipc_bus.h"
#include "ipc_codec.h"

/* Reads the request and, if it is a call (else `answer` is null), writes the answer. Other than IPC_OK refuses it. */
typedef enum ipc_status (*ipc_handler)(void *context, struct ipc_reader *request, struct ipc_writer *answer);

struct ipc_route {
    uint16_t type;
    ipc_handler handler;
    void *context;
};

struct ipc_service {
    struct ipc_bus *bus;
    struct ipc_port *port;
    struct ipc_sender sender;
    struct ipc_route routes[IPC_HANDLERS];
    unsigned route_count;
    os_timeout patience; /* how long to wait for memory for a reply */
    struct os_thread thread;
};

/* Takes over the caller's reference to the port. */
enum ipc_status ipc_service_init(struct ipc_service *service, struct ipc_bus *bus, struct ipc_port *port,
                                 os_timeout patience);
/* Before the service is started. */
enum ipc_status ipc_service_route(struct ipc_service *service, uint16_t type, ipc_handler handler, void *context);
enum ipc_status ipc_service_start(struct ipc_service *service);
/* Closes the port, waits for the thread and gives up the port. */
enum ipc_status ipc_service_stop(struct ipc_service *service, enum ipc_close_mode mode);

/* What a caller got: IPC_REFUSED when the reply says that the service had no answer. */
enum ipc_status ipc_reply_status(const struct ipc_message *reply);

#endif
