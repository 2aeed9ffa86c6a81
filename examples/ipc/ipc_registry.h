/* SPDX-License-Identifier: Apache-2.0
 *
 * The ports of a bus, by name and by address. Ports live in a table; each has a count of references, and its place is
 * free again when the last one is given up. An address of a port that is gone is not taken for that of its successor.
 */
#ifndef IPC_REGISTRY_H
#define IPC_REGISTRY_H

#include "ipc_port.h"

enum ipc_entry_state { IPC_ENTRY_FREE, IPC_ENTRY_OPEN, IPC_ENTRY_LEAVING };

struct ipc_entry {
    struct ipc_port port;
    char name[IPC_NAME_BYTES];
    enum ipc_entry_state state;
    uint8_t generation;
    uint32_t references;
};

struct ipc_registry {
    struct os_mutex lock;
    struct os_cond opened;
    bool closed;
    struct ipc_entry entries[IPC_PORTS];
};

enum ipc_status ipc_registry_init(struct ipc_registry *registry);
bool ipc_registry_is_empty(struct ipc_registry *registry);
/* IPC_BUSY, and nothing has happened, while there are ports. */
enum ipc_status ipc_registry_destroy(struct ipc_registry *registry);
/* Closes all ports, lets nobody open new ones and nobody wait for them. */
void ipc_registry_close(struct ipc_registry *registry, enum ipc_close_mode mode);

/* Each of these gives the caller a reference to the port. */
enum ipc_status ipc_registry_open(struct ipc_registry *registry, const char *name,
                                  const struct ipc_port_attributes *attributes, struct ipc_port **port);
/* Waits until somebody opens a port of that name. */
enum ipc_status ipc_registry_find(struct ipc_registry *registry, const char *name, os_timeout timeout,
                                  struct ipc_port **port);
enum ipc_status ipc_registry_resolve(struct ipc_registry *registry, ipc_address address, struct ipc_port **port);

void ipc_registry_drop(struct ipc_registry *registry, struct ipc_port *port);

/* For reports: the port at a place of the table, with a reference, and its name. IPC_NOT_FOUND when there is none. */
enum ipc_status ipc_registry_visit(struct ipc_registry *registry, unsigned place, struct ipc_port **port,
                                   char name[IPC_NAME_BYTES]);

#endif
