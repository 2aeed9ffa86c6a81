/* SPDX-License-Identifier: Apache-2.0
 *
 * Ports: queues that threads send to and receive from, with waiting, time-outs and an orderly end. Who uses a port
 * holds a reference to it (ipc_registry.h).
 */
#ifndef IPC_PORT_H
#define IPC_PORT_H

#include "ipc_log.h"
#include "ipc_queue.h"

/* What becomes of a message for a congested lane. */
enum ipc_overflow {
    IPC_OVERFLOW_BLOCK,      /* its sender waits */
    IPC_OVERFLOW_REJECT,     /* its sender gets IPC_FULL */
    IPC_OVERFLOW_DROP_OLDEST /* it is taken, in a full lane at the cost of the oldest one */
};

struct ipc_port_attributes {
    struct ipc_queue_limits limits;
    enum ipc_overflow overflow;
};

enum ipc_close_mode {
    IPC_CLOSE_DRAIN,  /* what is in the queue can still be received */
    IPC_CLOSE_DISCARD /* it is thrown away */
};

struct ipc_port_statistics {
    uint32_t sent;
    uint32_t received;
    uint32_t dropped;
    uint32_t not_sent;
    uint32_t send_waits;
    uint32_t receive_waits;
    uint16_t highest_level[IPC_PRIORITIES];
};

struct ipc_port {
    struct os_mutex lock;
    struct os_cond not_empty;
    struct os_cond not_congested;
    struct os_cond drained;
    ipc_address address; /* does not change, so it may be read without the lock */
    bool closed;
    enum ipc_overflow overflow;
    struct ipc_queue queue;
    struct os_event *watcher;
    struct ipc_port_statistics statistics;
    struct ipc_log log;
};

enum ipc_status ipc_port_init(struct ipc_port *port, ipc_address address, const struct ipc_port_attributes *attributes);
/* Nobody may use the port any more. What is still in the queue is released. */
void ipc_port_destroy(struct ipc_port *port);

/* The port takes over the caller's reference, unless the answer is other than IPC_OK. The message must be sealed. */
enum ipc_status ipc_port_send(struct ipc_port *port, struct ipc_message *message, os_timeout timeout);
enum ipc_status ipc_port_send_until(struct ipc_port *port, struct ipc_message *message,
                                    const struct os_deadline *deadline);
/* The caller gets the port's reference to the oldest of the most urgent messages. IPC_CLOSED after the last one. */
enum ipc_status ipc_port_receive(struct ipc_port *port, os_timeout timeout, struct ipc_message **message);
enum ipc_status ipc_port_receive_until(struct ipc_port *port, const struct os_deadline *deadline,
                                       struct ipc_message **message);
/* The header of the message that a receive would get now. */
enum ipc_status ipc_port_peek(struct ipc_port *port, struct ipc_header *header);
/* Waits until everything that was sent has been received. */
enum ipc_status ipc_port_flush(struct ipc_port *port, os_timeout timeout);

/* Sending ends at once, receiving when the queue is empty; all who wait for what cannot happen any more are woken. */
void ipc_port_close(struct ipc_port *port, enum ipc_close_mode mode);

/* The event is set whenever there may be something to receive; null ends that. IPC_BUSY when another one is watching.
 */
enum ipc_status ipc_port_watch(struct ipc_port *port, struct os_event *watcher);
/* Whether a receive would not have to wait. */
bool ipc_port_is_ready(struct ipc_port *port);

unsigned ipc_port_level(struct ipc_port *port, unsigned priority);
void ipc_port_statistics(struct ipc_port *port, struct ipc_port_statistics *statistics);
unsigned ipc_port_log(struct ipc_port *port, struct ipc_record *records, unsigned most);

#endif
