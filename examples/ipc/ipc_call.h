/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls: a request to a port, and a wait for the one reply that belongs to it. A caller that gives up leaves nothing
 * behind: a reply that comes too late finds that nobody waits for it.
 */
#ifndef IPC_CALL_H
#define IPC_CALL_H

#include "ipc_port.h"

enum ipc_call_state { IPC_CALL_IDLE, IPC_CALL_WAITING, IPC_CALL_ANSWERED };

/* The generation tells the calls apart that use the slot one after the other. */
struct ipc_call_slot {
    struct os_cond answered;
    struct ipc_message *reply;
    uint32_t generation;
    enum ipc_call_state state;
};

struct ipc_calls {
    struct os_mutex lock;
    bool closed;
    struct ipc_call_slot slots[IPC_CALLS];
};

enum ipc_status ipc_calls_init(struct ipc_calls *calls);
bool ipc_calls_are_over(struct ipc_calls *calls);
/* IPC_BUSY, and nothing has happened, while callers wait. */
enum ipc_status ipc_calls_destroy(struct ipc_calls *calls);
/* All who wait get IPC_CLOSED, and so do all later callers. */
void ipc_calls_close(struct ipc_calls *calls);

/* Takes over the caller's reference to the request and seals it, unless the answer is IPC_INVALID. With IPC_OK there is
 * a reply, which the caller has to release. */
enum ipc_status ipc_call(struct ipc_calls *calls, struct ipc_port *port, struct ipc_message *request,
                         os_timeout timeout, struct ipc_message **reply);

/* Takes over the reference to the reply and seals it, unless the answer is IPC_INVALID. The request stays the
 * caller's. */
enum ipc_status ipc_reply(struct ipc_calls *calls, const struct ipc_message *request, struct ipc_message *reply);
bool ipc_is_call(const struct ipc_message *request);

#endif
