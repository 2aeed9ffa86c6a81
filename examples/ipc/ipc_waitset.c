/* SPDX-License-Identifier: Apache-2.0
 *
 * All ports of a set announce their messages by the same event. It is automatic and remembers what it was told, so a
 * message that comes between looking and waiting is not missed.
 */
#include "ipc_waitset.h"
#include <string.h>

enum ipc_status ipc_waitset_init(struct ipc_waitset *set) {
    if (set == NULL) return IPC_INVALID;
    memset(set, 0, sizeof *set);
    return ipc_status_of(os_event_init(&set->activity, OS_EVENT_AUTO));
}

void ipc_waitset_destroy(struct ipc_waitset *set) {
    while (set->count > 0) ipc_waitset_remove(set, set->ports[set->count - 1]);
    os_event_destroy(&set->activity);
}

enum ipc_status ipc_waitset_add(struct ipc_waitset *set, struct ipc_port *port) {
    if (set == NULL || port == NULL) return IPC_INVALID;
    if (set->count == IPC_WATCHED_PORTS) return IPC_NO_SLOT;
    enum ipc_status status = ipc_port_watch(port, &set->activity);
    if (status == IPC_OK) set->ports[set->count++] = port;
    return status;
}

enum ipc_status ipc_waitset_remove(struct ipc_waitset *set, struct ipc_port *port) {
    if (set == NULL || port == NULL) return IPC_INVALID;
    unsigned place = 0;
    while (place < set->count && set->ports[place] != port) place++;
    if (place == set->count) return IPC_NOT_FOUND;
    set->ports[place] = set->ports[--set->count];
    set->ports[set->count] = NULL;
    return ipc_port_watch(port, NULL);
}

static struct ipc_port *find_ready(struct ipc_waitset *set) {
    for (unsigned i = 0; i < set->count; i++) {
        unsigned place = (set->next + i) % set->count;
        if (!ipc_port_is_ready(set->ports[place])) continue;
        set->next = place + 1;
        return set->ports[place];
    }
    return NULL;
}

enum ipc_status ipc_waitset_wait(struct ipc_waitset *set, os_timeout timeout, struct ipc_port **port) {
    if (set == NULL || port == NULL || set->count == 0) return IPC_INVALID;
    struct os_deadline deadline = os_deadline_in(timeout);
    enum os_status waited = OS_OK;
    while ((*port = find_ready(set)) == NULL) {
        if (waited != OS_OK) return ipc_status_of_wait(&deadline);
        waited = os_event_wait_until(&set->activity, &deadline);
    }
    return IPC_OK;
}
