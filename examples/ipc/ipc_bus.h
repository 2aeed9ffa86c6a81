/* SPDX-License-Identifier: Apache-2.0
 *
 * A bus: a pool of messages, the ports they travel between and the calls that wait for replies. All of its memory is in
 * this one structure.
 */
#ifndef IPC_BUS_H
#define IPC_BUS_H

#include "ipc_call.h"
#include "ipc_registry.h"

struct ipc_bus {
    struct ipc_pool pool;
    struct ipc_registry registry;
    struct ipc_calls calls;
    struct ipc_block blocks[IPC_POOL_BLOCKS];
    struct ipc_message messages[IPC_POOL_BLOCKS];
};

/* So many messages are kept back for the most urgent priority. */
enum ipc_status ipc_bus_init(struct ipc_bus *bus, unsigned reserve);
/* Closes everything: whoever waits for anything of this bus is woken and told. May be called more than once. */
void ipc_bus_shutdown(struct ipc_bus *bus, enum ipc_close_mode mode);
/* IPC_BUSY, and nothing has happened, while there are ports, calls or messages: somebody has not given back what
 * belongs to the bus. */
enum ipc_status ipc_bus_destroy(struct ipc_bus *bus);

/* A port with simple limits whose senders wait when it is full; others are made with ipc_registry_open. */
enum ipc_status ipc_bus_open(struct ipc_bus *bus, const char *name, uint16_t capacity, struct ipc_port **port);
void ipc_bus_drop(struct ipc_bus *bus, struct ipc_port *port);

/* Messages of this sender say that they come from the port, or from nobody when it is null. */
void ipc_bus_sender(struct ipc_bus *bus, const struct ipc_port *port, struct ipc_sender *sender);

/* Writes what the bus looks like as lines of text, cut off where the memory ends; how long the whole text is. */
size_t ipc_bus_report(struct ipc_bus *bus, char *text, size_t size);

#endif
