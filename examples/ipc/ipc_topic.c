/* SPDX-License-Identifier: Apache-2.0
 *
 * Publishing works on a copy of the list of subscribers, so that the topic is not locked while ports are. Ports that
 * have gone are noticed by their address and struck off.
 */
#include "ipc_topic.h"
#include <string.h>

enum ipc_status ipc_topic_init(struct ipc_topic *topic, struct ipc_registry *registry) {
    if (topic == NULL || registry == NULL) return IPC_INVALID;
    memset(topic, 0, sizeof *topic);
    topic->registry = registry;
    return ipc_status_of(os_mutex_init(&topic->lock));
}

void ipc_topic_destroy(struct ipc_topic *topic) { os_mutex_destroy(&topic->lock); }

/* With the lock held; where IPC_NO_ADDRESS is looked for, a free place. */
static ipc_address *find(struct ipc_topic *topic, ipc_address address) {
    for (unsigned i = 0; i < IPC_SUBSCRIBERS; i++)
        if (topic->subscribers[i] == address) return &topic->subscribers[i];
    return NULL;
}

enum ipc_status ipc_topic_subscribe(struct ipc_topic *topic, const struct ipc_port *port) {
    if (topic == NULL || port == NULL) return IPC_INVALID;
    os_mutex_lock(&topic->lock);
    ipc_address *place = find(topic, IPC_NO_ADDRESS);
    enum ipc_status status = place == NULL ? IPC_NO_SLOT : IPC_OK;
    if (find(topic, port->address) != NULL) status = IPC_EXISTS;
    if (status == IPC_OK) *place = port->address;
    os_mutex_unlock(&topic->lock);
    return status;
}

static enum ipc_status strike_off(struct ipc_topic *topic, ipc_address address) {
    os_mutex_lock(&topic->lock);
    ipc_address *place = find(topic, address);
    if (place != NULL) *place = IPC_NO_ADDRESS;
    os_mutex_unlock(&topic->lock);
    return place != NULL ? IPC_OK : IPC_NOT_FOUND;
}

enum ipc_status ipc_topic_unsubscribe(struct ipc_topic *topic, const struct ipc_port *port) {
    if (topic == NULL || port == NULL) return IPC_INVALID;
    return strike_off(topic, port->address);
}

static bool deliver(struct ipc_topic *topic, ipc_address address, struct ipc_message *message) {
    struct ipc_port *port = NULL;
    if (ipc_registry_resolve(topic->registry, address, &port) != IPC_OK) {
        strike_off(topic, address);
        return false;
    }
    ipc_message_retain(message);
    enum ipc_status status = ipc_port_send(port, message, OS_NO_WAIT);
    if (status != IPC_OK) ipc_message_release(message);
    ipc_registry_drop(topic->registry, port);
    return status == IPC_OK;
}

enum ipc_status ipc_topic_publish(struct ipc_topic *topic, struct ipc_message *message, unsigned *delivered) {
    if (topic == NULL || message == NULL || !ipc_message_is_sealed(message)) return IPC_INVALID;
    ipc_address subscribers[IPC_SUBSCRIBERS];
    os_mutex_lock(&topic->lock);
    memcpy(subscribers, topic->subscribers, sizeof subscribers);
    os_mutex_unlock(&topic->lock);
    unsigned count = 0;
    for (unsigned i = 0; i < IPC_SUBSCRIBERS; i++)
        if (subscribers[i] != IPC_NO_ADDRESS && deliver(topic, subscribers[i], message)) count++;
    ipc_message_release(message);
    if (delivered != NULL) *delivered = count;
    return IPC_OK;
}
