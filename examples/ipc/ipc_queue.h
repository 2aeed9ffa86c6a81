/* SPDX-License-Identifier: Apache-2.0
 *
 * A queue with one bounded lane for each priority, first in first out in each. It has no lock: it is a part of a port.
 */
#ifndef IPC_QUEUE_H
#define IPC_QUEUE_H

#include "ipc_message.h"

/* A lane that has filled up to `high` is congested until it has been emptied down to `low`. The distance keeps senders
 * from being woken for every place that becomes free. */
struct ipc_queue_limits {
    uint16_t capacity;
    uint16_t high;
    uint16_t low;
};

/* A ring of references: `count` messages from place `head` on. */
struct ipc_lane {
    struct ipc_message *ring[IPC_LANE_CAPACITY];
    uint16_t head;
    uint16_t count;
    bool congested;
};

struct ipc_queue {
    struct ipc_lane lanes[IPC_PRIORITIES];
    struct ipc_queue_limits limits;
};

/* Congested when full, and not when a single place is free. */
struct ipc_queue_limits ipc_queue_limits_simple(uint16_t capacity);
bool ipc_queue_limits_are_valid(const struct ipc_queue_limits *limits);

void ipc_queue_init(struct ipc_queue *queue, const struct ipc_queue_limits *limits);
unsigned ipc_queue_level(const struct ipc_queue *queue, unsigned priority);
bool ipc_queue_is_empty(const struct ipc_queue *queue);
bool ipc_queue_is_congested(const struct ipc_queue *queue, unsigned priority);

void ipc_queue_push(struct ipc_queue *queue, unsigned priority, struct ipc_message *message);
/* The oldest of the most urgent messages, or null. Sets `relieved` when its lane is not congested any more. */
struct ipc_message *ipc_queue_pop(struct ipc_queue *queue, bool *relieved);
const struct ipc_message *ipc_queue_first(const struct ipc_queue *queue);
/* The oldest message of a full lane, which then has a place, or null. */
struct ipc_message *ipc_queue_evict(struct ipc_queue *queue, unsigned priority);

#endif
