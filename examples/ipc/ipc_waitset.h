/* SPDX-License-Identifier: Apache-2.0
 *
 * Waiting for several ports at once. A set belongs to the thread that waits.
 */
#ifndef IPC_WAITSET_H
#define IPC_WAITSET_H

#include "ipc_port.h"

struct ipc_waitset {
    struct os_event activity;
    struct ipc_port *ports[IPC_WATCHED_PORTS];
    unsigned count;
    unsigned next;
};

enum ipc_status ipc_waitset_init(struct ipc_waitset *set);
/* Removes all ports. */
void ipc_waitset_destroy(struct ipc_waitset *set);

/* The caller keeps its reference to the port for as long as the port is in the set. */
enum ipc_status ipc_waitset_add(struct ipc_waitset *set, struct ipc_port *port);
enum ipc_status ipc_waitset_remove(struct ipc_waitset *set, struct ipc_port *port);

/* A port that has something to receive or is closed. Ports that are always ready take turns. */
enum ipc_status ipc_waitset_wait(struct ipc_waitset *set, os_timeout timeout, struct ipc_port **port);

#endif
