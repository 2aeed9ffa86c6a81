/* SPDX-License-Identifier: Apache-2.0
 *
 * Sending and receiving. A thread that holds a port's lock takes no other lock of the module but that of an event,
 * which is held for a moment only: messages are released after the port has been unlocked.
 */
#include "ipc_port.h"
#include <assert.h>
#include <string.h>

static enum os_status init_conditions(struct ipc_port *port) {
    struct os_cond *conditions[] = {&port->not_empty, &port->not_congested, &port->drained};
    for (unsigned i = 0; i < sizeof conditions / sizeof conditions[0]; i++) {
        enum os_status status = os_cond_init(conditions[i]);
        if (status == OS_OK) continue;
        while (i > 0) os_cond_destroy(conditions[--i]);
        return status;
    }
    return OS_OK;
}

enum ipc_status ipc_port_init(struct ipc_port *port, ipc_address address,
                              const struct ipc_port_attributes *attributes) {
    if (port == NULL || attributes == NULL || !ipc_queue_limits_are_valid(&attributes->limits)) return IPC_INVALID;
    memset(port, 0, sizeof *port);
    enum os_status status = os_mutex_init(&port->lock);
    if (status != OS_OK) return ipc_status_of(status);
    status = init_conditions(port);
    if (status != OS_OK) {
        os_mutex_destroy(&port->lock);
        return ipc_status_of(status);
    }
    port->address = address;
    port->overflow = attributes->overflow;
    ipc_queue_init(&port->queue, &attributes->limits);
    return IPC_OK;
}

void ipc_port_destroy(struct ipc_port *port) {
    bool relieved;
    struct ipc_message *message;
    while ((message = ipc_queue_pop(&port->queue, &relieved)) != NULL) ipc_message_release(message);
    os_cond_destroy(&port->drained);
    os_cond_destroy(&port->not_congested);
    os_cond_destroy(&port->not_empty);
    os_mutex_destroy(&port->lock);
}

/* With the lock held, as all static functions below. A wait that its deadline ends looks once more at what it waited
 * for: it may have come true at the last moment, and then the wake-up was this thread's. */
static enum ipc_status await_place(struct ipc_port *port, unsigned priority, const struct os_deadline *deadline) {
    enum os_status waited = OS_OK;
    while (!port->closed) {
        if (port->overflow == IPC_OVERFLOW_DROP_OLDEST || !ipc_queue_is_congested(&port->queue, priority))
            return IPC_OK;
        if (port->overflow == IPC_OVERFLOW_REJECT) return IPC_FULL;
        if (waited != OS_OK) return ipc_status_of_wait(deadline);
        IPC_COUNT(port->statistics.send_waits);
        waited = os_cond_wait_until(&port->not_congested, &port->lock, deadline);
    }
    return IPC_CLOSED;
}

static enum ipc_status await_message(struct ipc_port *port, const struct os_deadline *deadline) {
    enum os_status waited = OS_OK;
    while (ipc_queue_is_empty(&port->queue)) {
        if (port->closed) return IPC_CLOSED;
        if (waited != OS_OK) return ipc_status_of_wait(deadline);
        IPC_COUNT(port->statistics.receive_waits);
        waited = os_cond_wait_until(&port->not_empty, &port->lock, deadline);
    }
    return IPC_OK;
}

static void notify_watcher(const struct ipc_port *port) {
    if (port->watcher != NULL) os_event_set(port->watcher);
}

/* Which message had to go, if any. */
static struct ipc_message *enqueue(struct ipc_port *port, struct ipc_message *message) {
    unsigned priority = message->header.priority;
    struct ipc_message *evicted =
        port->overflow == IPC_OVERFLOW_DROP_OLDEST ? ipc_queue_evict(&port->queue, priority) : NULL;
    if (evicted != NULL) {
        IPC_COUNT(port->statistics.dropped);
        ipc_log_append(&port->log, IPC_EVENT_DROPPED, &evicted->header);
    }
    ipc_queue_push(&port->queue, priority, message);
    IPC_COUNT(port->statistics.sent);
    IPC_RAISE(port->statistics.highest_level[priority], (uint16_t)ipc_queue_level(&port->queue, priority));
    ipc_log_append(&port->log, IPC_EVENT_SENT, &message->header);
    os_cond_signal(&port->not_empty);
    notify_watcher(port);
    return evicted;
}

static struct ipc_message *dequeue(struct ipc_port *port) {
    bool relieved = false;
    struct ipc_message *message = ipc_queue_pop(&port->queue, &relieved);
    if (relieved) {
#ifdef IPC_BUG_LOST_WAKEUP
        os_cond_signal(&port->not_congested);
#else
        /* Several places may be free, and senders of several priorities may wait: there is no second wake-up for those
         * that are left asleep now, as long as the lane does not fill up again. */
        os_cond_broadcast(&port->not_congested);
#endif
    }
    if (ipc_queue_is_empty(&port->queue)) os_cond_broadcast(&port->drained);
    return message;
}

static bool is_sendable(const struct ipc_message *message) {
    return message != NULL && ipc_message_is_sealed(message) && message->header.priority <= IPC_LEAST_URGENT;
}

enum ipc_status ipc_port_send_until(struct ipc_port *port, struct ipc_message *message,
                                    const struct os_deadline *deadline) {
    if (port == NULL || deadline == NULL || !is_sendable(message)) return IPC_INVALID;
    struct ipc_message *evicted = NULL;
    os_mutex_lock(&port->lock);
    enum ipc_status status = await_place(port, message->header.priority, deadline);
    if (status == IPC_OK) {
        evicted = enqueue(port, message);
    } else {
        IPC_COUNT(port->statistics.not_sent);
        ipc_log_append(&port->log, IPC_EVENT_NOT_SENT, &message->header);
    }
    os_mutex_unlock(&port->lock);
    ipc_message_release(evicted);
    return status;
}

enum ipc_status ipc_port_send(struct ipc_port *port, struct ipc_message *message, os_timeout timeout) {
    struct os_deadline deadline = os_deadline_in(timeout);
    return ipc_port_send_until(port, message, &deadline);
}

enum ipc_status ipc_port_receive_until(struct ipc_port *port, const struct os_deadline *deadline,
                                       struct ipc_message **message) {
    if (port == NULL || deadline == NULL || message == NULL) return IPC_INVALID;
    os_mutex_lock(&port->lock);
    enum ipc_status status = await_message(port, deadline);
    if (status == IPC_OK) {
        struct ipc_message *received = dequeue(port);
        IPC_COUNT(port->statistics.received);
        ipc_log_append(&port->log, IPC_EVENT_RECEIVED, &received->header);
        *message = received;
    }
    os_mutex_unlock(&port->lock);
    return status;
}

enum ipc_status ipc_port_receive(struct ipc_port *port, os_timeout timeout, struct ipc_message **message) {
    struct os_deadline deadline = os_deadline_in(timeout);
    return ipc_port_receive_until(port, &deadline, message);
}

enum ipc_status ipc_port_peek(struct ipc_port *port, struct ipc_header *header) {
    if (port == NULL || header == NULL) return IPC_INVALID;
    os_mutex_lock(&port->lock);
    const struct ipc_message *first = ipc_queue_first(&port->queue);
    enum ipc_status status = first != NULL ? IPC_OK : port->closed ? IPC_CLOSED : IPC_WOULD_BLOCK;
    if (first != NULL) *header = first->header;
    os_mutex_unlock(&port->lock);
    return status;
}

enum ipc_status ipc_port_flush(struct ipc_port *port, os_timeout timeout) {
    if (port == NULL) return IPC_INVALID;
    struct os_deadline deadline = os_deadline_in(timeout);
    enum os_status waited = OS_OK;
    os_mutex_lock(&port->lock);
    while (!ipc_queue_is_empty(&port->queue) && waited == OS_OK)
        waited = os_cond_wait_until(&port->drained, &port->lock, &deadline);
    enum ipc_status status = ipc_queue_is_empty(&port->queue) ? IPC_OK : ipc_status_of_wait(&deadline);
    os_mutex_unlock(&port->lock);
    return status;
}

static struct ipc_message *discard_one(struct ipc_port *port) {
    os_mutex_lock(&port->lock);
    struct ipc_message *message = dequeue(port);
    if (message != NULL) {
        IPC_COUNT(port->statistics.dropped);
        ipc_log_append(&port->log, IPC_EVENT_DROPPED, &message->header);
    }
    os_mutex_unlock(&port->lock);
    return message;
}

void ipc_port_close(struct ipc_port *port, enum ipc_close_mode mode) {
    os_mutex_lock(&port->lock);
    if (!port->closed) {
        port->closed = true;
        ipc_log_append(&port->log, IPC_EVENT_CLOSED, NULL);
        os_cond_broadcast(&port->not_congested);
        os_cond_broadcast(&port->not_empty);
        notify_watcher(port);
    }
    os_mutex_unlock(&port->lock);
    if (mode != IPC_CLOSE_DISCARD) return;
    struct ipc_message *message;
    while ((message = discard_one(port)) != NULL) ipc_message_release(message);
}

enum ipc_status ipc_port_watch(struct ipc_port *port, struct os_event *watcher) {
    if (port == NULL) return IPC_INVALID;
    os_mutex_lock(&port->lock);
    enum ipc_status status = watcher != NULL && port->watcher != NULL ? IPC_BUSY : IPC_OK;
    if (status == IPC_OK) {
        port->watcher = watcher;
        /* What came before nobody was told of. */
        if (!ipc_queue_is_empty(&port->queue) || port->closed) notify_watcher(port);
    }
    os_mutex_unlock(&port->lock);
    return status;
}

bool ipc_port_is_ready(struct ipc_port *port) {
    os_mutex_lock(&port->lock);
    bool ready = port->closed || !ipc_queue_is_empty(&port->queue);
    os_mutex_unlock(&port->lock);
    return ready;
}

unsigned ipc_port_level(struct ipc_port *port, unsigned priority) {
    if (port == NULL || priority > IPC_LEAST_URGENT) return 0;
    os_mutex_lock(&port->lock);
    unsigned level = ipc_queue_level(&port->queue, priority);
    os_mutex_unlock(&port->lock);
    return level;
}

void ipc_port_statistics(struct ipc_port *port, struct ipc_port_statistics *statistics) {
    os_mutex_lock(&port->lock);
    *statistics = port->statistics;
    os_mutex_unlock(&port->lock);
}

unsigned ipc_port_log(struct ipc_port *port, struct ipc_record *records, unsigned most) {
    if (port == NULL || records == NULL) return 0;
    os_mutex_lock(&port->lock);
    unsigned count = ipc_log_copy(&port->log, records, most);
    os_mutex_unlock(&port->lock);
    return count;
}
