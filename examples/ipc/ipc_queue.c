/* SPDX-License-Identifier: Apache-2.0
 *
 * The queue with lanes: rings of references to messages. Messages are not linked to each other, since one message may
 * be in the queues of several ports.
 */
#include "ipc_queue.h"
#include <assert.h>
#include <string.h>

struct ipc_queue_limits ipc_queue_limits_simple(uint16_t capacity) {
    return (struct ipc_queue_limits){
        .capacity = capacity,
        .high = capacity,
        .low = (uint16_t)(capacity > 0 ? capacity - 1 : 0),
    };
}

bool ipc_queue_limits_are_valid(const struct ipc_queue_limits *limits) {
    return limits->capacity <= IPC_LANE_CAPACITY && limits->high <= limits->capacity && limits->low < limits->high;
}

void ipc_queue_init(struct ipc_queue *queue, const struct ipc_queue_limits *limits) {
    assert(ipc_queue_limits_are_valid(limits));
    memset(queue, 0, sizeof *queue);
    queue->limits = *limits;
}

unsigned ipc_queue_level(const struct ipc_queue *queue, unsigned priority) { return queue->lanes[priority].count; }

bool ipc_queue_is_empty(const struct ipc_queue *queue) { return ipc_queue_first(queue) == NULL; }

bool ipc_queue_is_congested(const struct ipc_queue *queue, unsigned priority) {
    return queue->lanes[priority].congested;
}

static uint16_t place_after(const struct ipc_queue *queue, uint16_t place, uint16_t distance) {
    uint16_t sum = (uint16_t)(place + distance);
    return sum < queue->limits.capacity ? sum : (uint16_t)(sum - queue->limits.capacity);
}

void ipc_queue_push(struct ipc_queue *queue, unsigned priority, struct ipc_message *message) {
    struct ipc_lane *lane = &queue->lanes[priority];
    assert(lane->count < queue->limits.capacity);
    lane->ring[place_after(queue, lane->head, lane->count)] = message;
    lane->count++;
    if (lane->count >= queue->limits.high) lane->congested = true;
}

/* The emptied place is cleared, so that a queue with nothing in it is always the same. */
static struct ipc_message *remove_oldest(struct ipc_queue *queue, struct ipc_lane *lane) {
    struct ipc_message *oldest = lane->ring[lane->head];
    lane->ring[lane->head] = NULL;
    lane->head = place_after(queue, lane->head, 1);
    lane->count--;
    return oldest;
}

struct ipc_message *ipc_queue_pop(struct ipc_queue *queue, bool *relieved) {
    struct ipc_lane *lane = queue->lanes;
    while (lane < queue->lanes + IPC_PRIORITIES && lane->count == 0) lane++;
    if (lane == queue->lanes + IPC_PRIORITIES) return NULL;
    struct ipc_message *message = remove_oldest(queue, lane);
    if (lane->congested && lane->count <= queue->limits.low) {
        lane->congested = false;
        *relieved = true;
    }
    return message;
}

const struct ipc_message *ipc_queue_first(const struct ipc_queue *queue) {
    for (unsigned priority = 0; priority < IPC_PRIORITIES; priority++) {
        const struct ipc_lane *lane = &queue->lanes[priority];
        if (lane->count > 0) return lane->ring[lane->head];
    }
    return NULL;
}

struct ipc_message *ipc_queue_evict(struct ipc_queue *queue, unsigned priority) {
    struct ipc_lane *lane = &queue->lanes[priority];
    return lane->count == queue->limits.capacity ? remove_oldest(queue, lane) : NULL;
}
